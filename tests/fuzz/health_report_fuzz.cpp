// A driver's report as it came over the wire.
#include <set>
#include <string>
#include <utility>

#include "discovery/report_converter.h"
#include "dra_health/v1.pb.h"
#include "tests/fuzz/fuzz.h"

namespace dra_health {
namespace {

constexpr std::size_t kMaxDevices = 8;
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestMessage = 1024;

void Check(const DeviceReport& device) {
  for (const std::string* name : {&device.pool, &device.device}) {
    RequirePrintable(*name);
    Require(!name->empty() && name->size() <= kLongestName, "a name is usable", *name);
  }
  RequirePrintable(device.message);
  Require(device.message.size() <= kLongestMessage, "a message is bounded", device.message);
  Require(device.lease >= std::chrono::seconds{0} && device.lease <= std::chrono::hours{24},
          "a lease is bounded");
}

v1::HealthStatus ToWire(Health health) {
  if (health == Health::kUnknown) return v1::UNKNOWN;
  return health == Health::kHealthy ? v1::HEALTHY : v1::UNHEALTHY;
}

v1::NodeWatchResourcesResponse ToWire(const ConvertedReport& report) {
  v1::NodeWatchResourcesResponse wire;
  for (const DeviceReport& device : report.devices) {
    v1::DeviceHealth& added = *wire.add_devices();
    added.mutable_device()->set_pool_name(device.pool);
    added.mutable_device()->set_device_name(device.device);
    added.set_health(ToWire(device.health));
    added.set_message(device.message);
    added.set_last_updated_time(device.last_updated);
    added.set_health_check_timeout_seconds(device.lease.count());
  }
  return wire;
}

void CheckSame(const ConvertedReport& a, const ConvertedReport& b) {
  Require(b.dropped == 0 && a.devices.size() == b.devices.size(), "no device is lost");
  for (std::size_t i = 0; i < a.devices.size(); ++i) {
    const DeviceReport& x = a.devices[i];
    const DeviceReport& y = b.devices[i];
    Require(x.pool == y.pool && x.device == y.device && x.health == y.health &&
                x.message == y.message && x.last_updated == y.last_updated && x.lease == y.lease,
            "a converted device stays the same when it is converted again", x.message);
  }
}

}  // namespace

void FuzzOne(std::string_view input) {
  v1::NodeWatchResourcesResponse sent;
  if (!sent.ParseFromArray(input.data(), static_cast<int>(input.size()))) return;
  const ConvertedReport converted = ConvertReport(sent, kMaxDevices);
  Require(converted.devices.size() <= kMaxDevices, "the number of devices is bounded");
  Require(
      converted.devices.size() + converted.dropped <= static_cast<std::size_t>(sent.devices_size()),
      "a device is counted once");
  std::set<std::pair<std::string, std::string>> seen;
  for (const DeviceReport& device : converted.devices) {
    Check(device);
    Require(seen.emplace(device.pool, device.device).second, "a device is there once");
  }
  CheckSame(converted, ConvertReport(ToWire(converted), kMaxDevices));
}

}  // namespace dra_health

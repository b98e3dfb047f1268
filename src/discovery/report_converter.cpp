#include "discovery/report_converter.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/text.h"
#include "dra_health/v1.pb.h"

namespace dra_health {
namespace {

// Longer names fit no ResourceSlice (resource.k8s.io: pool names up to 253 bytes, device names up
// to 63), so no pod can hold such a device.
constexpr std::size_t kMaxNameBytes = 253;
// What the API server takes in ResourceHealth.message.
constexpr std::size_t kMaxMessageBytes = 1024;

Health ToHealth(v1::HealthStatus status) {
  switch (status) {
    case v1::HEALTHY:
      return Health::kHealthy;
    case v1::UNHEALTHY:
      return Health::kUnhealthy;
    default:
      return Health::kUnknown;
  }
}

std::chrono::seconds ToLease(std::int64_t timeout) {
  return std::chrono::seconds{std::clamp<std::int64_t>(timeout, 0, kMaxLease.count())};
}

bool IsUsableName(const std::string& name) { return !name.empty() && name.size() <= kMaxNameBytes; }

DeviceReport ToReport(const v1::DeviceHealth& device) {
  return {.pool = Printable(device.device().pool_name()),
          .device = Printable(device.device().device_name()),
          .health = ToHealth(device.health()),
          .message = CutBytes(Printable(device.message()), kMaxMessageBytes),
          .last_updated = device.last_updated_time(),
          .lease = ToLease(device.health_check_timeout_seconds())};
}

}  // namespace

ConvertedReport ConvertReport(const v1::NodeWatchResourcesResponse& report,
                              std::size_t max_devices) {
  ConvertedReport converted;
  std::map<std::pair<std::string, std::string>, std::size_t> positions;
  for (const v1::DeviceHealth& sent : report.devices()) {
    DeviceReport device = ToReport(sent);
    if (!IsUsableName(device.pool) || !IsUsableName(device.device)) {
      ++converted.dropped;
      continue;
    }
    const auto position = positions.find({device.pool, device.device});
    if (position != positions.end()) {
      // A driver that names a device twice has merged several checks of it: the order says nothing,
      // and a fault must not be hidden by the check that happened to pass. Equal: the later words.
      DeviceReport& before = converted.devices[position->second];
      if (!IsWorse(before.health, device.health)) before = std::move(device);
    } else if (converted.devices.size() == max_devices) {
      ++converted.dropped;
    } else {
      positions.emplace(std::pair(device.pool, device.device), converted.devices.size());
      converted.devices.push_back(std::move(device));
    }
  }
  return converted;
}

}  // namespace dra_health

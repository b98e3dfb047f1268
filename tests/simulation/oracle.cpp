#include "oracle.h"

#include <algorithm>

namespace dra_health {
namespace {

using std::chrono::seconds;

constexpr seconds kDefaultLease{30};
constexpr seconds kLeastAfterRestart{10};

}  // namespace

void Oracle::Registered(PluginId id, const std::string& driver) { endpoints_[id] = {driver}; }

void Oracle::Deregistered(PluginId id) { endpoints_.erase(id); }

void Oracle::StreamEnded(PluginId id) {
  if (const auto found = endpoints_.find(id); found != endpoints_.end()) {
    found->second.delivered = false;
  }
}

void Oracle::Reported(PluginId id, const std::vector<DeviceReport>& devices, BootTime now) {
  const auto from = endpoints_.find(id);
  if (from == endpoints_.end()) return;
  from->second.delivered |= !devices.empty();
  for (const auto& [other, endpoint] : endpoints_) {
    const bool newer = other > id && endpoint.driver == from->second.driver && endpoint.delivered;
    if (newer) return;
  }
  for (const DeviceReport& report : devices) {
    const seconds lease = report.lease > seconds{0} ? report.lease : kDefaultLease;
    devices_[{from->second.driver, report.pool, report.device}] = {report.health, now + lease};
  }
}

void Oracle::Restarted(const StoredState& stored, bool same_boot, BootTime now) {
  endpoints_.clear();
  devices_.clear();
  for (const DeviceRecord& record : stored.devices) {
    const UnknownReason reason = record.health.reason;
    if (reason == UnknownReason::kNeverReported) continue;
    const bool fresh = reason == UnknownReason::kNone || reason == UnknownReason::kDriverSaysSo;
    Device& device = devices_[record.key];
    if (!fresh || !same_boot) continue;
    device.health = record.health.health;
    device.until = std::max(stored.alive->boot + record.lease, now + kLeastAfterRestart);
  }
}

std::optional<Health> Oracle::HealthOf(const DeviceKey& key, BootTime now) const {
  const auto found = devices_.find(key);
  if (found == devices_.end()) return std::nullopt;
  return now < found->second.until ? found->second.health : Health::kUnknown;
}

std::vector<DeviceKey> Oracle::Devices() const {
  std::vector<DeviceKey> keys;
  for (const auto& [key, device] : devices_) keys.push_back(key);
  return keys;
}

}  // namespace dra_health

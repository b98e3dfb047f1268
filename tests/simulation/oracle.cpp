#include "oracle.h"

#include <algorithm>

namespace dra_health {
namespace {

using std::chrono::seconds;

constexpr seconds kLeastAfterRestart{10};

}  // namespace

void Oracle::Registered(PluginId id, const std::string& driver) { endpoints_[id] = {driver}; }

void Oracle::Deregistered(PluginId id) { endpoints_.erase(id); }

void Oracle::StreamEnded(PluginId id) {
  if (const auto found = endpoints_.find(id); found != endpoints_.end()) {
    found->second.delivered = false;
  }
}

bool Oracle::Reported(PluginId id, const std::vector<DeviceReport>& devices, BootTime now) {
  const auto from = endpoints_.find(id);
  if (from == endpoints_.end()) return false;
  from->second.delivered |= !devices.empty();
  for (const auto& [other, endpoint] : endpoints_) {
    const bool newer = other > id && endpoint.driver == from->second.driver && endpoint.delivered;
    if (newer) return false;
  }
  const auto forced = settings_->drivers.find(from->second.driver);
  for (const DeviceReport& report : devices) {
    seconds lease = report.lease > seconds{0} ? report.lease : settings_->default_lease;
    if (forced != settings_->drivers.end() && forced->second.lease) lease = *forced->second.lease;
    devices_[{from->second.driver, report.pool, report.device}] = {report.health, now + lease};
  }
  return true;
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

bool Oracle::Expired(const DeviceKey& key, BootTime now) const {
  const auto found = devices_.find(key);
  return found != devices_.end() && now >= found->second.until;
}

std::optional<DeviceKey> Oracle::Differs(const std::map<DeviceKey, Health>& told,
                                         BootTime now) const {
  auto at = told.begin();
  for (const auto& [key, device] : devices_) {
    while (at != told.end() && at->first < key) ++at;
    const bool was_told = at != told.end() && at->first == key;
    const Health last = was_told ? at->second : Health::kUnknown;
    if (last != (now < device.until ? device.health : Health::kUnknown)) return key;
  }
  return std::nullopt;
}

}  // namespace dra_health

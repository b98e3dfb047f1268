#include "reconciler/device_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"

namespace dra_health {
namespace {

std::chrono::seconds LeaseOf(const Settings& settings, const std::string& driver,
                             const DeviceReport& report) {
  if (const auto& forced = settings.ForDriver(driver).lease) return *forced;
  return report.lease > std::chrono::seconds{0} ? report.lease : settings.default_lease;
}

DeviceHealth FromReport(const DeviceReport& report) {
  const bool unknown = report.health == Health::kUnknown;
  return {report.health,
          unknown ? UnknownReason::kDriverSaysSo : UnknownReason::kNone,
          report.message,
          {}};
}

// What people see of a device whose lease has ended. When nothing of the driver is fresh any more
// it is the driver that fell silent, which is most likely not the hardware's fault.
DeviceHealth Expired(const DeviceHealth& last, std::chrono::seconds lease,
                     const std::string& driver, bool gone, bool whole_driver) {
  std::string text;
  if (gone) {
    text = "driver " + driver + " is not registered any more";
  } else if (whole_driver) {
    text = "driver " + driver + " sent no report for " + std::to_string(lease.count()) +
           "s, so probably the driver failed, not the device";
  } else {
    text = "no report on this device for " + std::to_string(lease.count()) + "s";
  }
  text += "; it was " + std::string(ToString(last.health));
  if (!last.message.empty()) text += ": " + last.message;
  return {Health::kUnknown,
          gone ? UnknownReason::kDriverGone : UnknownReason::kLeaseExpired,
          CutBytes(std::move(text), kMaxStoredMessage),
          {}};
}

}  // namespace

void DeviceTable::Restore(const DeviceRecord& record, const std::optional<BootTime>& last_alive,
                          Moment now, DeviceChanges& changes) {
  Device& device = devices_[record.key];
  device = {record.health, record.lease, record.driver_time, std::nullopt, now.boot};
  const bool was_fresh = record.health.reason == UnknownReason::kNone ||
                         record.health.reason == UnknownReason::kDriverSaysSo;
  if (!was_fresh) return;
  if (last_alive) {
    SetDeadline(device, std::max(*last_alive + record.lease, now.boot + kLeastLeaseAfterRestart));
    return;
  }
  Update(
      record.key, device,
      {Health::kUnknown,
       UnknownReason::kNodeRebooted,
       "the node was rebooted; before that it was " + std::string(ToString(record.health.health)),
       {}},
      "", now, changes);
}

DeviceTable::ReportResult DeviceTable::Report(const std::string& driver,
                                              const std::string& endpoint,
                                              std::span<const DeviceReport> reports, Moment now,
                                              DeviceChanges& changes) {
  ReportResult result;
  std::optional<std::size_t> known;  // counted only when a new device comes
  for (const DeviceReport& report : reports) {
    const DeviceKey key{driver, report.pool, report.device};
    auto found = devices_.find(key);
    if (found == devices_.end()) {
      if (!known) known = CountOf(driver);
      if (*known >= settings_.max_devices_per_driver) {
        ++result.refused;
        continue;
      }
      ++*known;
      found = devices_.emplace(key, Device{}).first;
    }
    Device& device = found->second;
    device.lease = LeaseOf(settings_, driver, report);
    device.driver_time = report.last_updated;
    device.last_needed = now.boot;
    SetDeadline(device, now.boot + device.lease);
    Update(key, device, FromReport(report), endpoint, now, changes);
  }
  return result;
}

void DeviceTable::Allocate(const DeviceKey& key, Moment now, DeviceChanges& changes) {
  const auto [found, added] = devices_.try_emplace(key);
  found->second.last_needed = now.boot;
  if (!added) return;
  found->second.health.since = now.wall;
  changes.writes.emplace_back(DeviceRecord{key, found->second.health});
}

void DeviceTable::Expire(Moment now, const DriverPredicate& driver_is_gone,
                         DeviceChanges& changes) {
  if (now.boot < next_deadline_) return;
  next_deadline_ = BootTime::max();
  std::set<std::string> speaking;  // drivers with a device that is still fresh
  std::vector<std::map<DeviceKey, Device>::iterator> due;
  for (auto it = devices_.begin(); it != devices_.end(); ++it) {
    auto& deadline = it->second.deadline;
    if (!deadline) continue;
    if (*deadline <= now.boot) {
      due.push_back(it);
    } else {
      speaking.insert(it->first.driver);
      next_deadline_ = std::min(next_deadline_, *deadline);
    }
  }
  for (const auto it : due) {
    auto& [key, device] = *it;
    device.deadline.reset();
    Update(key, device,
           Expired(device.health, device.lease, key.driver, driver_is_gone(key.driver),
                   !speaking.contains(key.driver)),
           "", now, changes);
  }
}

void DeviceTable::Forget(BootTime now, const KeyPredicate& in_use, DeviceChanges& changes) {
  for (auto it = devices_.begin(); it != devices_.end();) {
    auto& [key, device] = *it;
    if (device.deadline || in_use(key)) device.last_needed = now;
    if (now - device.last_needed < settings_.retention) {
      ++it;
      continue;
    }
    changes.writes.emplace_back(ForgetDevice{key});
    it = devices_.erase(it);
  }
}

std::map<std::string, DeviceSummary> DeviceTable::Summarize(BootTime now,
                                                            const KeyPredicate& awaited) const {
  std::map<std::string, DeviceSummary> drivers;
  for (const auto& [key, device] : devices_) {
    DeviceSummary& driver = drivers[key.driver];
    ++driver.by_health[device.health.health];
    if (device.deadline) {
      const auto left = *device.deadline - now;
      driver.lease_margin = std::min(driver.lease_margin.value_or(left), left);
    } else if (awaited(key)) {
      ++driver.stale;
    }
  }
  return drivers;
}

const DeviceHealth* DeviceTable::Find(const DeviceKey& key) const {
  const auto found = devices_.find(key);
  return found == devices_.end() ? nullptr : &found->second.health;
}

void DeviceTable::Update(const DeviceKey& key, Device& device, DeviceHealth health,
                         const std::string& endpoint, Moment now, DeviceChanges& changes) {
  const DeviceHealth& old = device.health;
  const bool transition = old.health != health.health || old.reason != health.reason;
  if (!transition && old.message == health.message) return;
  health.since = transition ? now.wall : old.since;
  if (transition) {
    changes.writes.emplace_back(Transition{now.wall, key, old.health, health.health, health.reason,
                                           health.message, endpoint});
  }
  device.health = std::move(health);
  changes.writes.emplace_back(DeviceRecord{key, device.health, device.lease, device.driver_time});
  changes.changed.push_back(key);
}

void DeviceTable::SetDeadline(Device& device, BootTime deadline) {
  device.deadline = deadline;
  next_deadline_ = std::min(next_deadline_, deadline);
}

std::size_t DeviceTable::CountOf(const std::string& driver) const {
  const auto first = devices_.lower_bound(DeviceKey{driver, "", ""});
  const auto last = std::find_if(first, devices_.end(),
                                 [&](const auto& item) { return item.first.driver != driver; });
  return static_cast<std::size_t>(std::distance(first, last));
}

}  // namespace dra_health

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/device.h"
#include "model/record.h"
#include "model/settings.h"
#include "model/summary.h"

namespace dra_health {

// What a change of devices leads to: rows to store, and the devices whose pods must be looked at.
struct DeviceChanges {
  std::vector<StoreWrite> writes;
  std::vector<DeviceKey> changed;
};

// The health of every device that was ever reported or allocated on this node.
//
// A report is fresh for its lease, counted from when it was received on the boot clock. Absence
// from a report means nothing: only age or the driver's word changes a device (reports may cover a
// subset, KEP-4680). Pure: no I/O, no clock of its own. One thread.
class DeviceTable {
 public:
  explicit DeviceTable(const Settings& settings) : settings_(settings) {}

  // Takes a row of an earlier run. Across a reboot nothing is current any more; otherwise a device
  // that had not expired lives for what is left of its lease since the agent was last known alive,
  // at least kLeastLeaseAfterRestart, so that a restart of the agent raises no alarm.
  static constexpr std::chrono::seconds kLeastLeaseAfterRestart{10};
  void Restore(const DeviceRecord& record, const std::optional<BootTime>& last_alive, Moment now,
               DeviceChanges& changes);

  struct ReportResult {
    std::size_t refused = 0;  // new devices beyond the driver's limit
  };
  ReportResult Report(const std::string& driver, const std::string& endpoint,
                      std::span<const DeviceReport> reports, Moment now, DeviceChanges& changes);

  // Makes sure a device that a pod holds is known, as Unknown until its driver speaks of it.
  void Allocate(const DeviceKey& key, Moment now, DeviceChanges& changes);

  // Expires what is due. `driver_is_gone` tells a driver without any endpoint from a silent one.
  using DriverPredicate = std::function<bool(const std::string& driver)>;
  void Expire(Moment now, const DriverPredicate& driver_is_gone, DeviceChanges& changes);
  BootTime NextDeadline() const { return next_deadline_; }

  // Drops devices that have been neither fresh nor `in_use` for the retention time.
  using KeyPredicate = std::function<bool(const DeviceKey&)>;
  void Forget(BootTime now, const KeyPredicate& in_use, DeviceChanges& changes);

  // By driver. `awaited` tells of a device that is not fresh whether it is stale.
  std::map<std::string, DeviceSummary> Summarize(BootTime now, const KeyPredicate& awaited) const;

  // nullptr: never heard of.
  const DeviceHealth* Find(const DeviceKey& key) const;

 private:
  struct Device {
    DeviceHealth health;
    std::chrono::seconds lease{0};
    std::int64_t driver_time = 0;
    std::optional<BootTime> deadline;  // none: not fresh
    BootTime last_needed;              // last report or allocation, for Forget
  };

  void Update(const DeviceKey& key, Device& device, DeviceHealth health,
              const std::string& endpoint, Moment now, DeviceChanges& changes);
  void SetDeadline(Device& device, BootTime deadline);
  std::size_t CountOf(const std::string& driver) const;

  const Settings& settings_;
  std::map<DeviceKey, Device> devices_;
  // Never later than the earliest deadline. Reports only move deadlines away, so it is a cheap
  // bound: at worst one scan too many.
  BootTime next_deadline_ = BootTime::max();
};

}  // namespace dra_health

#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace dra_health {

// Per driver, from the configuration file's `drivers:`.
struct DriverSettings {
  bool watch = true;                          // `health: watch` or `off`
  std::optional<std::chrono::seconds> lease;  // instead of what the driver says
  bool probe = false;  // try the health service once although the driver does not advertise it
};

// The limits and habits of the reconciler; all but max_patches_in_flight are flags.
struct Settings {
  std::map<std::string, DriverSettings> drivers;  // by driver name; others have the defaults
  std::chrono::seconds default_lease{30};         // where the driver sets none (KEP-4680)
  std::size_t max_devices_per_driver = 4096;
  std::chrono::seconds message_interval{10};  // message-only changes of a pod, at most once in this
  std::chrono::seconds report_grace{10};  // how long a first report is waited for before a device
                                          // that was never reported is published as Unknown
  std::chrono::hours retention{24 * 7};   // devices and ended pods nobody speaks of any more
  std::size_t max_patches_in_flight = 8;  // two a connection keep each of them busy
  bool dry_run = false;                   // patches are printed only, so pods never show them

  const DriverSettings& ForDriver(const std::string& name) const {
    static const DriverSettings kDefaults;
    const auto found = drivers.find(name);
    return found == drivers.end() ? kDefaults : found->second;
  }
};

}  // namespace dra_health

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

// What is published of a pod's health beside a kubelet that may write the same field.
enum class PublishMode {
  kAuto,           // the condition; the field where nobody else writes it or our writes stick
  kAlways,         // the condition and the field, whoever else writes it
  kConditionOnly,  // the condition; the field is left to the kubelet
  kNever,          // nothing: only compare with what the kubelet writes
};

// Which pods' fields are held, where a guard makes our entries stay: each costs the kubelet a GET
// and a PATCH in 10 s while its gate is off.
enum class HoldPods { kAll, kNotHealthy, kNone };

// How a device is named in the field.
enum class ResourceIdForm {
  kTriple,  // driver/pool/device
  kCdi,     // its first CDI ID as the kubelet writes it, the triple where there is none
};

// The limits and habits of the reconciler; all but max_patches_in_flight are flags.
struct Settings {
  std::map<std::string, DriverSettings> drivers;  // by driver name; others have the defaults
  std::chrono::seconds default_lease{30};         // where the driver sets none (KEP-4680)
  std::size_t max_devices_per_driver = 4096;
  std::chrono::seconds message_interval{10};  // message-only changes of a pod, at most once in this
  PublishMode publish = PublishMode::kAuto;
  HoldPods hold = HoldPods::kAll;
  std::size_t max_held_pods = 110;  // 22 of the kubelet's 50 requests a second
  ResourceIdForm resource_id = ResourceIdForm::kTriple;
  // The longest wait before the field is put back where another writer takes it away.
  std::chrono::seconds reassert_interval{300};
  std::chrono::seconds report_grace{10};  // how long a first report is waited for before a device
                                          // that was never reported is published as Unknown
  // How long after a pod's end a report still counts for it: a fault is often told a moment late.
  std::chrono::seconds late_report_window{60};
  std::size_t max_store_bytes = 256u << 20;  // the oldest history goes first
  std::chrono::hours retention{24 * 7};      // devices and ended pods nobody speaks of any more
  std::size_t max_patches_in_flight = 8;     // two a connection keep each of them busy
  bool dry_run = false;                      // patches are printed only, so pods never show them

  const DriverSettings& ForDriver(const std::string& name) const {
    static const DriverSettings kDefaults;
    const auto found = drivers.find(name);
    return found == drivers.end() ? kDefaults : found->second;
  }
};

}  // namespace dra_health

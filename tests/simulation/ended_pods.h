#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/device.h"
#include "model/record.h"

namespace dra_health {

// What the rules allow an ended pod to say: of each device what was so at the pod's end, and what
// was reported within the window after it, unless another pod had got the device by then; a fault
// that the pod ended with stays.
class EndedPods {
 public:
  using HealthOf = std::function<Health(const DeviceKey&)>;
  using Predicate = std::function<bool(const DeviceKey&)>;

  // The agent of now has seen the pod end, or found it ended.
  void Ended(const std::string& uid, const std::vector<DeviceKey>& devices,
             const HealthOf& health_of, const Predicate& counts, Moment now,
             std::chrono::milliseconds window);
  // The agent knows that the pod held the device; what was wrong with it then is a fault.
  // `owned`: it knows already that another pod has it.
  void Learned(const std::string& uid, const DeviceKey& key, Health health, bool owned);
  void Reported(const DeviceKey& key, Health health, BootTime now);
  // The agent hears that `uid` has the device, or had it before it ended.
  void Owned(const DeviceKey& key, const std::string& uid, bool ended);
  void Deleted(const std::string& uid) { pods_.erase(uid); }

  // Another agent runs. What an earlier one knew of a pod's end it knows from the store and from
  // the pod, if at all.
  using SaysFault = std::function<bool(const std::string& uid)>;
  void Restarted(const StoredState& stored, const HealthOf& health_of, const SaysFault& says_fault);

  bool Contains(const std::string& uid) const { return pods_.contains(uid); }
  // Its end is news to the agent of now.
  bool IsNews(const std::string& uid) const;
  bool May(const std::string& uid, const DeviceKey& key, Health health) const;
  bool Counts(const std::string& uid, const DeviceKey& key) const;
  // No device of the pod may have a new owner, and the window is open for as long as this.
  bool IsOpen(const std::string& uid, BootTime at) const;

 private:
  struct Device {
    std::set<Health> may;
    bool counts = true;  // for the condition, at the pod's end
    bool learned = false;
    bool fault = false;
    bool owned = false;     // by another pod since
    bool disputed = false;  // another pod had it, and it is not known who was first
  };
  struct Pod {
    BootTime until;
    std::optional<WallTime> stored;  // when it ended, until the agent of now has seen it
    std::map<DeviceKey, Device> devices;
  };
  std::map<std::string, Pod> pods_;  // by uid
};

}  // namespace dra_health

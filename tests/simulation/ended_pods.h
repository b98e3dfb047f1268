#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "model/device.h"
#include "model/pod.h"
#include "model/record.h"

namespace dra_health {

// What an ended pod is to say, by the rules: of each device what was so at the pod's end, and what
// was reported within the window after it, unless another pod had got the device by then; a fault
// that the pod ended with stays. All as far as the agent of now can know.
class EndedPods {
 public:
  // What is so now.
  struct Present {
    std::function<std::optional<Health>(const DeviceKey&)> health_of;  // none: nobody has told
    std::function<bool(const DeviceKey&)> silent;   // for longer than its lease, or told by nobody
    std::function<bool(const DeviceKey&)> offered;  // health, by its driver
    std::function<bool(const DeviceKey&)> known;    // its driver, to the agent
  };
  explicit EndedPods(Present present) : present_(std::move(present)) {}

  // Another agent runs, and knows what the store says.
  void Restarted(const StoredState& stored);

  // --- what the agent is told ---
  void Seen(const Pod& pod, Moment now, std::chrono::milliseconds window);
  void Answered(const Pod& pod);  // a patch
  void Gone(const std::string& uid) { pods_.erase(uid); }
  void Keep(const std::set<std::string>& uids);  // the others are gone
  void SeenAll();
  // `own`: it is the pod's own claim, and no namesake's.
  void ClaimAnswered(const std::string& uid, const std::string& claim);
  void ClaimRead(const std::string& uid, const std::string& claim,
                 const std::vector<DeviceKey>& keys, bool own, BootTime now);
  void Reported(const DeviceKey& key, Health health, BootTime now);
  void Settle();  // after each of them

  // --- what follows ---
  bool Contains(const std::string& uid) const;  // the agent knows that it has ended
  // It says more than is known, or is over and says all: that stands.
  bool IsLeftAlone(const std::string& uid) const { return pods_.at(uid).left_alone; }
  // Whether it can be told what the pod is to say.
  bool IsSure(const std::string& uid) const { return pods_.at(uid).sure; }
  bool IsOpen(const std::string& uid, BootTime at) const { return at < pods_.at(uid).until; }
  struct Device {
    Health health = Health::kUnknown;
    bool counts = true;  // for the condition
    bool closed = false;
  };
  const std::map<DeviceKey, Device>& LastOf(const std::string& uid) const {
    return pods_.at(uid).last;
  }
  static std::optional<Health> ConditionOf(const std::map<DeviceKey, Device>& devices);

 private:
  struct Before {
    std::optional<WallTime> ended;
    std::optional<Health> condition;
    std::set<std::pair<std::string, DeviceKey>> held;  // claim and device
    std::map<DeviceKey, Device> last;
  };
  struct Known {
    int version = 0;
    bool ended = false;
    bool sure = true;
    bool left_alone = false;
    BootTime until;
    Before before;                  // by an earlier agent
    std::set<std::string> claims;   // read
    std::set<std::string> pending;  // never answered
    std::map<DeviceKey, Device> late;
    std::set<DeviceKey> held;
    std::map<DeviceKey, Device> last;
  };

  void End(Known& pod, bool seen_running, std::optional<Health> said, Moment now,
           std::chrono::milliseconds window);
  void Take(Known& pod, const DeviceKey& key, bool owned);
  static void Hold(Known& pod, const DeviceKey& key, Device device);
  Device Now(const DeviceKey& key) const;
  bool HasNewOwner(const DeviceKey& key, const std::string& former_owner) const;

  Present present_;
  std::map<std::string, Before> before_;  // by uid, until the agent has seen all pods
  std::map<DeviceKey, Health> health_before_;
  std::map<std::string, Known> pods_;  // by uid
};

}  // namespace dra_health

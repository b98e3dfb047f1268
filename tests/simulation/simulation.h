#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cache/store_keeper.h"
#include "cluster.h"
#include "disk.h"
#include "model/effect.h"
#include "model/event.h"
#include "oracle.h"
#include "reconciler/reconciler.h"

namespace dra_health {

// The agent's reconciler and store keeper among models of drivers, kubelet, API server and disk,
// under one seeded scheduler and a fake clock. Faults of every kind come at random; what must hold
// is checked at every step, and after each storm there is a calm in which all must come right and
// then nothing be sent. The same seed gives the same run.
class Simulation {
 public:
  // What happens from step `trace_from` on is printed.
  explicit Simulation(std::uint64_t seed, std::size_t trace_from = SIZE_MAX);

  // Until so many events were handled; false, with failure() set, at the first thing that is wrong.
  bool Run(std::size_t steps);
  const std::string& failure() const { return failure_; }

  struct Counts {
    std::size_t steps = 0;
    std::size_t patches = 0;
    std::size_t transitions = 0;
    std::size_t restarts = 0;
    std::size_t calms = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Endpoint {
    std::string driver;
    bool stream = false;
    std::uint64_t generation = 0;  // of its stream
    bool lies = false;             // the old one of a rolling update, which knows nothing new
  };
  struct Driver {
    bool supported = true;
    bool silent = false;
    std::chrono::seconds lease{30};
    std::vector<DeviceReport> devices;
    std::set<PluginId> endpoints;
  };

  // --- time ---
  void At(std::chrono::milliseconds in, std::function<void()> action);
  void Step();  // to the next action or deadline
  void Pass(std::chrono::seconds time);
  Moment Now() const { return clock_.Now(); }
  std::size_t Below(std::size_t limit) { return random_() % limit; }
  bool Chance(int percent) { return Below(100) < static_cast<std::size_t>(percent); }

  // --- the agent ---
  void Start();
  void Crash();
  void Deliver(Event event);
  void Commit(Effects effects);
  void CarryOut(Effect& effect);
  void NoteEnd(const Pod& pod);
  void CheckWrites(const std::vector<StoreWrite>& writes);
  void CheckGrace(const Pod& pod, const std::string& driver);
  void CheckPatch(const PodPatch& patch);
  void Send(std::chrono::milliseconds in, Event event);  // unless the agent dies before

  // --- drivers ---
  void Announce(PluginId id);
  void Register(const std::string& name);
  void StopEndpoint(PluginId id);
  void EndStream(PluginId id);
  void Report(PluginId id, std::vector<DeviceReport> devices);
  void Heartbeat(const std::string& name);

  // --- what goes wrong ---
  void Storm();
  void ChangeDevice();
  void ChangeDriver();
  void ChangePods();
  void ChangeCluster();
  void KubeletTick();
  void Calm();
  void CheckConvergence();
  void CheckContest();

  std::optional<Health> HealthOf(const DeviceKey& key) const;
  std::optional<Health> ConditionOf(const std::vector<DeviceKey>& devices) const;
  void Broken(const std::string& what);
  template <typename What>
  void Trace(const What& what) const;

  const std::size_t trace_from_;
  std::mt19937_64 random_;
  FakeClock clock_;
  std::multimap<BootTime, std::function<void()>> actions_;
  std::deque<Event> at_once_;

  Settings settings_;
  Disk disk_;
  Cluster cluster_;
  Oracle oracle_;
  std::unique_ptr<StoreKeeper> keeper_;
  std::unique_ptr<Reconciler> reconciler_;
  int boot_ = 1;
  std::uint64_t life_ = 0;  // of the agent
  std::size_t in_flight_ = 0;
  std::set<std::string> ended_before_;  // pods that this run of the agent has only seen ended
  BootTime started_;                    // the agent
  std::map<std::string, BootTime> registered_;  // drivers, first in this run of the agent
  std::set<std::string> spoken_for_;            // pods that this run of the agent has patched
  std::map<std::string, int> patches_of_;       // by pod, since the contest began
  std::map<DeviceKey, Health> told_;            // by the newest transition
  std::map<std::string, std::map<DeviceKey, std::set<Health>>> ended_;  // what an ended pod may say

  std::map<std::string, Driver> drivers_;
  std::map<PluginId, Endpoint> endpoints_;
  PluginId next_plugin_ = 1;
  int next_pod_ = 0;

  bool calm_ = false;
  std::vector<std::string> requests_;  // since the calm began
  Counts counts_;
  std::string failure_;
};

}  // namespace dra_health

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
#include "ended_pods.h"
#include "model/effect.h"
#include "model/event.h"
#include "oracle.h"
#include "reconciler/reconciler.h"

namespace dra_health {

// The agent's reconciler and store keeper among models of drivers, kubelet, API server and disk,
// under one seeded scheduler and a fake clock. Faults of every kind come at random; what must hold
// is checked at every step. It goes in chapters: an agent with settings of its own, a storm, and a
// calm in which all must come right and then nothing be sent. The same seed gives the same run.
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
    std::size_t most_kept = 0;    // rows that waited for the disk
    std::size_t most_memory = 0;  // bytes
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Endpoint {
    std::string driver;
    bool stream = false;
    std::uint64_t generation = 0;  // of its stream
    bool lies = false;             // it says that all is Unhealthy
  };
  struct Driver {
    bool supported = true;
    bool heartbeats =
        true;  // else it speaks only when a stream is opened and when something changes
    bool silent = false;
    std::chrono::seconds lease{30};
    std::vector<DeviceReport> devices;
    std::set<PluginId> endpoints;
  };
  struct LastPatch {
    BootTime at;
    std::string text;  // of the condition
  };

  // --- time (simulation.cpp) ---
  void At(std::chrono::nanoseconds in, std::function<void()> action);
  void Step();  // to the next action or deadline
  void Pass(std::chrono::seconds time);
  void NewChapter();
  Moment Now() const { return clock_.Now(); }
  std::size_t Below(std::size_t limit) { return random_() % limit; }
  bool Chance(int percent) { return Below(100) < static_cast<std::size_t>(percent); }

  // --- the agent (agent.cpp) ---
  void Wake();
  bool Start();  // false: another process holds the store
  void Crash();
  bool MayDie();
  void Die(std::chrono::nanoseconds away);
  void Deliver(Event event);
  void Commit(Effects effects);
  void CarryOut(Effect& effect);
  void Open(const effect::OpenStream& open);
  void Send(const effect::Patch& patch);
  event::CdiIdsRead ReadCdiIds();
  void Send(std::chrono::nanoseconds in, Event event);  // unless the agent dies before
  void Watch(std::chrono::milliseconds in, Event event);

  // --- drivers (drivers.cpp) ---
  void Announce(PluginId id);
  void Register(const std::string& name);
  void StopEndpoint(PluginId id);
  void EndStream(PluginId id);
  void Report(PluginId id, std::vector<DeviceReport> devices);
  void ReportAll(const std::string& name);
  void Heartbeat(const std::string& name);
  void ChangeDevice();
  void Turn(const std::string& driver, std::size_t device, Health health);
  void ChangeDriver();
  void CalmDrivers();

  // --- what goes wrong (storm.cpp) ---
  void Storm();
  void ChangePods();
  void AddPod();
  void EndPod(const std::string& uid);
  void ChangeCluster();
  void ChangeDisk();
  void ChangeKubelet();
  void KubeletTick();
  Health KubeletSays(const DeviceKey& key);
  void LoseServer(std::chrono::seconds time);
  void RegainServer();

  // --- nothing goes wrong any more (calm.cpp) ---
  void Calm();
  void CheckConvergence();
  void CheckConditions();
  void CheckEndedPod(const Pod& pod);
  void CheckField(const Pod& pod);
  void CheckPlaces();
  void CheckHistory();
  void CheckQuiet();
  void CheckAbsence();
  void CheckContest();
  void CheckPace(std::chrono::seconds since, int news);
  void CheckMemory();
  bool MayHold(const Pod& pod) const;

  // --- what must hold at every step (invariants.cpp) ---
  void Observe(const Event& event);
  void NotePod(const Pod& pod);
  void ForgetPod(const std::string& uid);
  void NoteClaim(const event::ClaimRead& event);
  void CheckWrites(const std::vector<StoreWrite>& writes);
  void CheckStore();
  void CheckBounds();

  // --- what a patch may say (patch_checks.cpp) ---
  void CheckPatch(const PodPatch& patch);
  void CheckNews(const PodPatch& patch);
  void CheckFieldAllowed(const PodPatch& patch);
  void CheckEntry(const Pod& pod, const ResourceStatus& entry);
  void CheckEndedPatch(const PodPatch& patch);
  void CheckEndedEntry(const Pod& pod, const ResourceStatus& entry);
  void CheckCondition(const PodPatch& patch);
  void CheckStored(const DeviceKey& key);
  void CheckGrace(const Pod& pod, const std::string& driver);
  void CheckTransitionTime(const PodPatch& patch, const Pod& before, const Pod& after);

  // --- by the rules (invariants.cpp) ---
  bool Offers(const std::string& driver) const;  // health, as the agent is configured
  bool Matters(const Pod& pod, const DeviceKey& key) const;
  std::optional<Health> HealthOf(const DeviceKey& key) const;
  std::optional<Health> ConditionOf(const Pod& pod) const;
  std::optional<Health> Worst(const Pod& pod, const std::vector<DeviceKey>& devices) const;
  std::string NameOf(const DeviceKey& key) const;  // as the agent is to call it
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
  std::unique_ptr<StoreKeeper> keeper_;
  std::unique_ptr<Reconciler> reconciler_;
  int boot_ = 1;
  std::uint64_t life_ = 0;  // of the agent

  // What the agent of now has done and was told.
  BootTime started_;
  BootTime watched_;                            // until when the pod watch has events under way
  std::set<std::string> in_flight_;             // pods whose patch is under way
  int failures_ = 0;                            // of patches, in a row
  std::set<std::string> known_drivers_;         // registered, or read from the store
  std::map<std::string, BootTime> registered_;  // drivers, first in this run
  std::set<DeviceKey> cdi_known_;
  std::set<std::string> pods_known_;                           // to the agent
  std::set<std::pair<std::string, std::string>> claims_read_;  // uid, claim
  std::map<std::string, LastPatch> last_patch_;                // by uid
  std::map<std::string, bool> carries_;  // uid: whether the agent's last patch left entries
  std::map<DeviceKey, Health> told_;     // by the newest transition
  std::map<DeviceKey, Health> newest_;   // transition of this agent, unless some were dropped

  Oracle oracle_;
  EndedPods ended_{{
      .health_of = [this](const DeviceKey& key) { return HealthOf(key); },
      .silent =
          [this](const DeviceKey& key) {
            return !HealthOf(key) || oracle_.Expired(key, Now().boot);
          },
      .offered = [this](const DeviceKey& key) { return Offers(key.driver); },
      .known = [this](const DeviceKey& key) { return known_drivers_.contains(key.driver); },
  }};
  std::size_t transitions_to_store_ = 0;
  std::map<std::string, int> patches_of_;  // by uid, since somebody began to count

  std::map<std::string, Driver> drivers_;
  std::map<PluginId, Endpoint> endpoints_;
  PluginId next_plugin_ = 1;
  int next_pod_ = 0;
  int absence_ = 0;
  bool kubelet_honest_ = true;
  std::map<DeviceKey, Health> kubelet_memory_;

  bool calm_ = false;
  bool mortal_ = true;                 // in this chapter
  std::vector<std::string> requests_;  // since somebody began to count
  std::size_t rows_ = 0;               // written, likewise, but for signs of life
  Counts counts_;
  std::string failure_;
};

}  // namespace dra_health

#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/effect.h"
#include "model/event.h"
#include "reconciler/reconciler.h"

namespace dra_health {

using namespace std::chrono_literals;

inline constexpr const char* kDriver = "gpu.example.com";
inline constexpr const char* kPool = "node-1";

// A pod to put into the world, in few words.
struct PodSpec {
  std::string name = "train";
  std::string uid = "uid-train";
  // pod claim name -> ResourceClaim name; every container holds every claim
  std::map<std::string, std::string> claims = {{"gpu", "train-gpu"}};
  std::vector<std::string> containers = {"main"};
};

DeviceReport Says(const std::string& device, Health health, const std::string& message = "",
                  std::chrono::seconds lease = 0s);

// The reconciler in a world of values: a fake clock, and an API server of a few lines that applies
// the patches it is sent, with the misbehaviours that tests need.
class World {
 public:
  explicit World(Settings settings = {});

  // --- time ---
  // Lets time pass; the reconciler is woken at each of its deadlines on the way.
  void Advance(std::chrono::nanoseconds by);
  Moment now() const { return clock_.Now(); }
  FakeClock& clock() { return clock_; }

  // --- the agent's life ---
  void Restart(bool reboot = false);
  void Restart(const Settings& settings);                               // with other flags
  void ReplaceStore(StoredState state) { stored_ = std::move(state); }  // before a restart

  // --- drivers ---
  PluginId Register(const std::string& driver = kDriver,
                    std::vector<std::string> services = {"v1.DRAResourceHealth"});
  void Report(PluginId id, std::vector<DeviceReport> devices);
  void EndStream(PluginId id, const std::string& why = "UNAVAILABLE: gone",
                 bool unimplemented = false);
  void Deregister(PluginId id);
  std::set<PluginId> open_streams() const { return open_streams_; }

  // --- pods and claims ---
  // A claim by this name is there from now on; devices as (request, device).
  void PutClaim(const std::string& name, std::vector<std::pair<std::string, std::string>> devices,
                const std::string& driver = kDriver);
  void PutClaim(Claim claim);
  void AddPod(const PodSpec& spec);
  void PutPod(Pod pod);  // as it is; the resource version is set
  void ChangePod(const std::string& uid, const std::function<void(Pod&)>& change);
  void ChangePodUnseen(const std::string& uid, const std::function<void(Pod&)>& change);
  void DeletePod(const std::string& uid);
  void ForgetPodSilently(const std::string& uid) { pods_.erase(uid); }  // while the agent is down
  // A container of the pod, as the API server has it.
  static Pod MakePod(const PodSpec& spec);
  const Pod& pod(const std::string& uid = "uid-train") const { return *pods_.at(uid); }
  // Health of one device in the field of the first container of the pod; nullopt: not there.
  std::optional<ResourceHealth> Shown(const std::string& device,
                                      const std::string& uid = "uid-train",
                                      const std::string& driver = kDriver) const;
  std::optional<Health> Condition(const std::string& uid = "uid-train") const;

  // --- the API server's habits ---
  bool hold_patches = false;    // patches are kept until AnswerPatches()
  bool drop_field = false;      // gate off: answers without the field
  bool drop_messages = false;   // gate for messages off
  bool revert_at_once = false;  // another writer takes the field away after every patch
  std::function<std::optional<event::PatchDone>(const PodPatch&)> answer_instead;
  std::optional<Error> claim_error;
  std::optional<Error> pod_error;
  void AnswerPatches();
  void RevertField(const std::string& uid = "uid-train");  // another writer was here
  // The kubelet writes the first container's field, of claim:gpu, by resourceID.
  void KubeletWrites(const std::vector<ResourceHealth>& resources,
                     const std::string& uid = "uid-train");
  Result<std::vector<CdiIdRecord>> cdi_ids = Fail(ErrorKind::kRetry, "no such socket");
  void Send(const Event& event);

  // --- what happened ---
  std::vector<PodPatch> patches;
  std::vector<std::string> notices;
  std::vector<Transition> transitions;
  std::vector<StoreWrite> writes;
  std::vector<effect::OpenStream> streams_opened;
  std::vector<std::chrono::nanoseconds> latencies;
  int claim_reads = 0;
  int pod_reads = 0;
  int cdi_reads = 0;
  // The differences of the pod as the store has them.
  std::vector<FieldDifference> Differences(const std::string& uid = "uid-train") const;
  FieldState Field(const std::string& uid = "uid-train") const;
  std::size_t NoticesWith(const std::string& text) const;

  Reconciler& reconciler() { return *reconciler_; }
  const StoredState& stored() const { return stored_; }

 private:
  void CarryOut(Effects effects);
  void Store(const StoreWrite& write);
  void Answer(const PodPatch& patch);
  std::shared_ptr<const Pod> Apply(const PodPatch& patch);
  void Put(Pod pod);

  Settings settings_;
  FakeClock clock_;
  std::string boot_id_ = "boot-1";
  std::unique_ptr<Reconciler> reconciler_;
  StoredState stored_;
  PluginId next_id_ = 1;
  int version_ = 100;
  std::set<PluginId> open_streams_;
  std::map<std::string, std::shared_ptr<const Pod>> pods_;
  std::map<std::string, std::shared_ptr<const Claim>> claims_;
  std::map<std::string, FieldDifferences> differences_;
  std::vector<PodPatch> held_;
  std::vector<Event> pending_;
  bool sending_ = false;
};

}  // namespace dra_health

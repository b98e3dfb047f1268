#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "model/effect.h"
#include "model/event.h"
#include "model/record.h"
#include "model/settings.h"
#include "model/summary.h"
#include "reconciler/api_trouble.h"
#include "reconciler/cdi_table.h"
#include "reconciler/container_runs.h"
#include "reconciler/device_table.h"
#include "reconciler/driver_table.h"
#include "reconciler/held_pods.h"
#include "reconciler/lasting_differences.h"
#include "reconciler/pod_claims.h"
#include "reconciler/publication_builder.h"
#include "reconciler/publisher.h"

namespace dra_health {

// The pods of the node that hold devices: their claims, allocations and publications.
//
// A pod whose devices, drivers or status changed stands in a queue; Settle takes from it while
// there is room for patches, so a burst collapses to the newest state of each pod. Reads devices
// and drivers, changes neither but for adding allocated devices. Pure; one thread.
class PodTable {
 public:
  PodTable(const Settings& settings, std::uint64_t seed, DeviceTable& devices,
           const DriverTable& drivers)
      : settings_(settings),
        seed_(seed),
        devices_(devices),
        drivers_(drivers),
        cdi_(settings),
        held_(settings),
        trouble_(seed) {}

  // What an earlier run left open; pods that are not in the first list have gone meanwhile.
  void Restore(const StoredState& stored, Moment now);

  void Handle(const event::PodsListed& event, Moment now, Effects& effects);
  void Handle(const event::PodChanged& event, Moment now, Effects& effects);
  void Handle(const event::PodDeleted& event, Moment now, Effects& effects);
  void Handle(const event::CdiIdsRead& event, Moment now, Effects& effects);
  void Handle(const event::ClaimRead& event, Moment now, Effects& effects);
  void Handle(const event::PodRead& event, Moment now, Effects& effects);
  void Handle(const event::PatchDone& event, Moment now, Effects& effects);
  void Handle(const event::ApiReconnected& event, Moment now, Effects& effects);

  void DevicesChanged(const std::vector<DeviceKey>& keys, Moment now);
  // The device turned from one health to another: from here it is measured how long its pods take
  // to say so (effect::Published).
  void HealthTurned(const DeviceKey& key, BootTime now);
  void DriverChanged(const std::string& driver, Moment now, Effects& effects);
  bool InUse(const DeviceKey& key) const { return holders_.contains(key); }

  // Rebuilds what queued pods want to say and sends what there is room for. Last step of every
  // event.
  void Settle(Moment now, Effects& effects);
  BootTime NextDeadline() const;

  PodSummary Summarize() const;

 private:
  struct Entry {
    Entry(const Settings& settings, const ServerTraits& server, std::uint64_t seed)
        : claims(seed), publisher(settings, server, seed) {}

    PodRecord record;
    std::optional<PodRecord> stored;  // as last written in this run
    PodClaims claims;
    ContainerRuns runs;
    std::vector<Allocation> allocations;
    std::vector<AllocationRecord> written;  // every allocation, as the store has it
    Publisher publisher;
    FieldState said_holder = FieldState::kPending;  // as the log was told
    LastingDifferences differences;                 // while the field is the kubelet's
    std::optional<BootTime> late_until;      // the pod has ended: until then late reports count
    std::map<DeviceKey, LastHealth> last;    // of an ended pod
    std::map<DeviceKey, DeviceHealth> late;  // reported, while it is not known who has the device
    bool left_alone = false;  // what it says stands: it is all said, or the store knows less
    bool queued = false;
    std::optional<BootTime> wake;
    std::optional<BootTime> turned;   // when the first change of health came that is not sent yet
    std::optional<BootTime> sending;  // ... that is in the patch under way
  };

  static std::string FullName(const PodRecord& record) {
    return record.namespace_name + "/" + record.name;
  }

  void Observe(const std::shared_ptr<const Pod>& pod, Moment now, Effects& effects);
  Entry& Add(const Pod& pod, Moment now);
  void Delete(const std::string& uid, Moment now, Effects& effects);
  BootTime ReadDueClaims(Entry& entry, Moment now, Effects& effects);  // when the next is due
  void Unhold(const DeviceKey& key, const std::string& uid);
  void Remap(Entry& entry, Moment now, Effects& effects);

  // --- pods that have ended (ended_pods.cpp) ---
  void End(Entry& entry, bool seen_running, Moment now, Effects& effects);
  // What stood in an earlier run. A pod that ended while no agent was there: what was known then.
  void RestoreLast(Entry& entry, Effects& effects);
  bool SaysMoreThanIsKnown(const Entry& entry) const;
  static bool SaysMoreThanIsStored(const Entry& entry);
  // The pod ends, or it is learned only then that it held the device.
  void TakeLast(Entry& entry, const DeviceKey& key, bool owned, Moment now, Effects& effects);
  // Holds what is reported now, until no pod's claims are unread: one of them may be the new owner.
  void TakeLateReport(Entry& entry, const DeviceKey& key, Moment now);
  void SettleLateReports(Effects& effects);
  bool AreOwnersKnown() const;
  static bool AwaitsLateReport(const Entry& entry, const DeviceKey& key, Moment now);
  // Something stands of each of its devices.
  static bool KnowsLast(const Entry& entry);
  static void SetLast(Entry& entry, const DeviceKey& key, LastHealth last, Effects& effects);
  static void ForgetLast(Entry& entry, Effects& effects);
  // Of ended pods that held the device: what is said of it from now on is the new owner's.
  void CloseFormerOwners(const DeviceKey& key, Moment now, Effects& effects);
  static void Close(Entry& entry, const DeviceKey& key, Effects& effects);
  // Where a claim is read only after its pod's end, whoever has the device then.
  bool HasNewOwner(const DeviceKey& key, const std::string& former_owner) const;

  // What the pod shall say; nullopt while too little is known. `ask_again` is when time alone may
  // change the answer.
  std::optional<Publication> WantOf(const Entry& entry, Moment now, BootTime& ask_again) const;
  void RetryAll();
  void MeasureLatency(Entry& entry, const event::PatchDone& done, BootTime now, Effects& effects);
  void UpdateRecord(Entry& entry, Moment now, Effects& effects, bool published);
  void Queue(const std::string& uid);
  void SetWake(const std::string& uid, Entry& entry, BootTime at);
  static void SayWhoHolds(Entry& entry, FieldState now, Effects& effects);
  void AskToHold(Entry& entry, Effects& effects);
  void Compare(Entry& entry, Moment now, BootTime& ask_again, Effects& effects);
  PublishedDevice ViewOf(const Entry& entry, const DeviceKey& key) const;

  const Settings& settings_;
  std::uint64_t seed_;
  DeviceTable& devices_;
  const DriverTable& drivers_;
  ServerTraits server_;
  CdiTable cdi_;
  HeldPods held_;
  ApiTrouble trouble_;
  BootTime started_;

  std::map<std::string, Entry> pods_;  // by uid
  std::map<DeviceKey, std::set<std::string>> holders_;
  std::deque<std::string> queue_;
  std::set<std::pair<BootTime, std::string>> wakes_;
  std::size_t in_flight_ = 0;
  std::uint64_t reverts_of_gone_pods_ = 0;

  // Of an earlier run, until the pod is seen, or all pods that are there are.
  std::map<std::string, PodRecord> restored_;                         // by uid
  std::map<std::string, std::vector<AllocationRecord>> open_before_;  // by uid
  std::map<std::string, std::vector<ContainerRecord>> runs_before_;   // by uid
  std::map<DeviceKey, DeviceHealth> health_before_;
  bool listed_ = false;
  bool holds_late_reports_ = false;
};

}  // namespace dra_health

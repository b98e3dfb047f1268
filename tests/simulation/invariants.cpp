// What must hold at every step, by the rules of docs/architecture.md.

#include <algorithm>
#include <utility>

#include "simulation.h"

namespace dra_health {
namespace {

constexpr std::size_t kMostDevices = 16;
constexpr std::size_t kMostPods = 24;   // alive, or deleted while the disk or the server was away
constexpr std::size_t kMostKept = 300;  // rows of all these, and the limits of the keeper

std::string Name(const std::optional<Health>& health) {
  return health ? std::string(ToString(*health)) : "nothing";
}

}  // namespace

void Simulation::Observe(const Event& event) {
  if (const auto* ended = std::get_if<event::StreamEnded>(&event)) {
    oracle_.StreamEnded(ended->id);
  } else if (const auto* changed = std::get_if<event::PodChanged>(&event)) {
    if (changed->pod->ended && !ended_.Contains(changed->pod->uid)) {
      seen_ending_.insert(changed->pod->uid);
    }
    pods_known_.insert(changed->pod->uid);
    NoteEnd(*changed->pod);
  } else if (const auto* deleted = std::get_if<event::PodDeleted>(&event)) {
    pods_known_.erase(deleted->uid);
  } else if (const auto* listed = std::get_if<event::PodsListed>(&event)) {
    pods_known_.clear();
    for (const auto& pod : listed->pods) {
      pods_known_.insert(pod->uid);
      NoteEnd(*pod);
    }
  } else if (const auto* claim = std::get_if<event::ClaimRead>(&event)) {
    NoteClaim(*claim);
  } else if (const auto* done = std::get_if<event::PatchDone>(&event)) {
    in_flight_.erase(done->uid);
    failures_ = done->outcome == event::PatchOutcome::kRetry ? failures_ + 1 : 0;
  } else if (std::holds_alternative<event::ApiReconnected>(event)) {
    failures_ = 0;
  } else if (const auto* cdi = std::get_if<event::CdiIdsRead>(&event)) {
    if (!cdi->ids) return;
    for (const CdiIdRecord& record : *cdi->ids) cdi_known_.insert(record.key);
  }
}

void Simulation::NoteEnd(const Pod& pod) {
  if (!pod.ended || !ended_.IsNews(pod.uid)) return;
  const auto devices = cluster_.DevicesOf(pod.uid);
  if (devices.empty()) return;  // it was deleted meanwhile
  ended_.Ended(
      pod.uid, devices,
      [this](const DeviceKey& key) { return HealthOf(key).value_or(Health::kUnknown); },
      [&](const DeviceKey& key) { return Matters(pod, key); }, Now(), settings_.late_report_window);
  for (const PodClaim& claim : pod.claims) {
    if (!claims_read_.contains({pod.uid, *claim.claim_name})) continue;
    for (const DeviceKey& key : cluster_.ClaimsOf(pod.uid).at("claim:" + claim.name)) {
      ended_.Learned(pod.uid, key, HealthOf(key).value_or(Health::kUnknown), false);
    }
  }
  for (const DeviceKey& key : devices) NoteLateReport(key);
}

void Simulation::NoteClaim(const event::ClaimRead& event) {
  if (!event.claim || !claims_read_.emplace(event.pod_uid, event.name).second) return;
  if (!pods_known_.contains(event.pod_uid)) return;  // it asked, and was deleted meanwhile
  const bool ended = ended_.Contains(event.pod_uid);
  for (const AllocationResult& result : (*event.claim)->results) {
    const DeviceKey& key = result.key;
    ended_.Owned(key, event.pod_uid, ended);
    if (!ended) continue;
    ended_.Learned(event.pod_uid, key, HealthOf(key).value_or(Health::kUnknown),
                   IsOwned(key, event.pod_uid));
  }
}

// As far as the agent has read the claims of pods that have not ended.
bool Simulation::IsOwned(const DeviceKey& key, const std::string& former_owner) const {
  return std::ranges::any_of(cluster_.Pods(), [&](const auto& pod) {
    if (pod->uid == former_owner || pod->ended) return false;
    return std::ranges::any_of(pod->claims, [&](const PodClaim& claim) {
      const auto& held = cluster_.ClaimsOf(pod->uid).at("claim:" + claim.name);
      return claims_read_.contains({pod->uid, *claim.claim_name}) &&
             std::ranges::find(held, key) != held.end();
    });
  });
}

// A fault that an ended pod has to tell: it is known whose it is, and nothing was forgotten.
void Simulation::NoteLateReport(const DeviceKey& key) {
  for (const std::string& uid : seen_ending_) {
    if (!ended_.Contains(uid) || !ended_.IsOpen(uid, Now().boot)) continue;
    const auto pod = cluster_.Find(uid);
    const auto devices = cluster_.DevicesOf(uid);
    if (!pod || !pod->condition || std::ranges::find(devices, key) == devices.end()) continue;
    const bool all_read = std::ranges::all_of(pod->claims, [&](const PodClaim& claim) {
      return claims_read_.contains({uid, *claim.claim_name});
    });
    const bool aged = std::ranges::any_of(
        devices, [this](const DeviceKey& device) { return oracle_.Expired(device, Now().boot); });
    if (!all_read || aged) continue;
    const bool fault = std::ranges::any_of(devices, [&](const DeviceKey& device) {
      return Matters(*pod, device) && HealthOf(device) == Health::kUnhealthy &&
             ended_.May(uid, device, Health::kUnhealthy);
    });
    if (fault) {
      faults_.insert(uid);
    } else {
      faults_.erase(uid);
    }
  }
}

void Simulation::CheckWrites(const std::vector<StoreWrite>& writes) {
  for (const StoreWrite& write : writes) {
    if (!std::holds_alternative<AliveRecord>(write)) ++rows_;
    const auto* transition = std::get_if<Transition>(&write);
    if (transition == nullptr) continue;
    ++counts_.transitions;
    ++transitions_to_store_;
    const auto before = told_.find(transition->key);
    const Health from = before == told_.end() ? Health::kUnknown : before->second;
    // From Unknown to Unknown is for another reason.
    const bool no_news = from == transition->to && from != Health::kUnknown;
    if (transition->from != from || no_news) {
      Broken("a transition of " + ResourceId(transition->key) + " from " +
             std::string(ToString(transition->from)) + " to " + Name(transition->to) + " (" +
             std::string(ToString(transition->reason)) + "), it was " + Name(from));
    }
    told_[transition->key] = newest_[transition->key] = transition->to;
  }
}

// What the keeper calls durable is on the disk, every transition once.
void Simulation::CheckStore() {
  counts_.most_kept = std::max(counts_.most_kept, keeper_->kept());
  if (keeper_->kept() > kMostKept) Broken("the store keeper keeps ever more");
  if (!keeper_->durable()) return;
  if (keeper_->kept() > 0) Broken("the keeper says that all is written, and keeps some of it");
  if (keeper_->dropped() > 0) {
    transitions_to_store_ = disk_.transitions();
    newest_.clear();
  }
  if (disk_.transitions() != transitions_to_store_) {
    Broken(std::to_string(disk_.transitions()) + " transitions were written, of " +
           std::to_string(transitions_to_store_));
  }
}

void Simulation::CheckBounds() {
  if (const auto key = oracle_.Differs(told_, Now().boot)) {
    Broken("the newest transition of " + ResourceId(*key) + " is not what it is");
  }
  if (counts_.steps % 16 > 0) return;
  const Summary summary = reconciler_->Summarize(Now().boot);
  std::size_t pods = 0;
  for (const auto& [state, count] : summary.pods.by_field) pods += count;
  std::size_t devices = 0;
  for (const auto& [name, driver] : summary.drivers) {
    for (const auto& [health, count] : driver.devices.by_health) devices += count;
  }
  if (pods > kMostPods || summary.pods.queued > kMostPods || devices > kMostDevices ||
      summary.drivers.size() > drivers_.size()) {
    Broken("the reconciler keeps ever more");
  }
}

bool Simulation::Offers(const std::string& driver) const {
  return drivers_.at(driver).supported && settings_.ForDriver(driver).watch;
}

// A driver that this agent has never heard of offers nothing, unless the pod says that it did once.
bool Simulation::Matters(const Pod& pod, const DeviceKey& key) const {
  return known_drivers_.contains(key.driver) ? Offers(key.driver) : pod.condition.has_value();
}

std::optional<Health> Simulation::HealthOf(const DeviceKey& key) const {
  if (!Offers(key.driver)) return std::nullopt;
  return oracle_.HealthOf(key, Now().boot);
}

// nullopt: no driver of the devices offers health.
std::optional<Health> Simulation::ConditionOf(const Pod& pod) const {
  return Worst(pod, cluster_.DevicesOf(pod.uid));
}

std::optional<Health> Simulation::Worst(const Pod& pod,
                                        const std::vector<DeviceKey>& devices) const {
  std::optional<Health> worst;
  for (const DeviceKey& key : devices) {
    if (!Matters(pod, key)) continue;
    const Health health = HealthOf(key).value_or(Health::kUnknown);
    if (!worst || IsWorse(health, *worst)) worst = health;
  }
  return worst;
}

std::string Simulation::NameOf(const DeviceKey& key) const {
  const bool cdi = settings_.resource_id == ResourceIdForm::kCdi && cdi_known_.contains(key);
  return cdi ? CdiIdOf(key) : ResourceId(key);
}

}  // namespace dra_health

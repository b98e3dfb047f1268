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
    NotePod(*changed->pod);
  } else if (const auto* deleted = std::get_if<event::PodDeleted>(&event)) {
    ForgetPod(deleted->uid);
  } else if (const auto* read = std::get_if<event::PodRead>(&event)) {
    if (read->pod && (*read->pod)->uid == read->uid) {
      if (pods_known_.contains(read->uid)) NotePod(**read->pod);
    } else if (read->pod || read->pod.error().kind == ErrorKind::kItem) {
      ForgetPod(read->uid);
    }
  } else if (const auto* listed = std::get_if<event::PodsListed>(&event)) {
    pods_known_.clear();
    for (const auto& pod : listed->pods) pods_known_.insert(pod->uid);
    ended_.Keep(pods_known_);
    for (const auto& pod : listed->pods) NotePod(*pod);
    ended_.SeenAll();
  } else if (const auto* claim = std::get_if<event::ClaimRead>(&event)) {
    NoteClaim(*claim);
  } else if (const auto* done = std::get_if<event::PatchDone>(&event)) {
    in_flight_.erase(done->uid);
    if (done->answer) ended_.Answered(*done->answer);
    failures_ = done->outcome == event::PatchOutcome::kRetry ? failures_ + 1 : 0;
  } else if (std::holds_alternative<event::ApiReconnected>(event)) {
    failures_ = 0;
  } else if (const auto* cdi = std::get_if<event::CdiIdsRead>(&event)) {
    for (const CdiIdRecord& record : cdi->ids.value_or(std::vector<CdiIdRecord>{})) {
      cdi_known_.insert(record.key);
    }
  }
  ended_.Settle();
}

void Simulation::NotePod(const Pod& pod) {
  pods_known_.insert(pod.uid);
  ended_.Seen(pod, Now(), settings_.late_report_window);
}

void Simulation::ForgetPod(const std::string& uid) {
  pods_known_.erase(uid);
  ended_.Gone(uid);
}

void Simulation::NoteClaim(const event::ClaimRead& event) {
  if (event.claim || event.claim.error().kind == ErrorKind::kItem) {
    ended_.ClaimAnswered(event.pod_uid, event.name);
  }
  if (!event.claim || !(*event.claim)->allocated) return;
  if (!claims_read_.emplace(event.pod_uid, event.name).second) return;
  std::vector<DeviceKey> keys;
  for (const AllocationResult& result : (*event.claim)->results) keys.push_back(result.key);
  const bool own = (*event.claim)->uid.starts_with(event.pod_uid + "/");
  ended_.ClaimRead(event.pod_uid, event.name, keys, own, Now().boot);
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
  for (const std::string& uid : pods_known_) {
    if (ended_.Contains(uid) && !disk_.HasEnded(uid))
      Broken("the end of " + uid + " is not stored");
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

#include "reconciler/pod_table.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include "base/text.h"

namespace dra_health {
namespace {

using effect::Severity;

// So many answers of this kind in a row are no coincidence any more (each counts twice).
constexpr int kStaleToTell = 10;

std::string FullName(const PodRecord& record) { return record.namespace_name + "/" + record.name; }

bool HoldsClaims(const Pod& pod) { return !pod.claims.empty() || pod.extended.has_value(); }

AllocationRecord ToRecord(const std::string& uid, const Allocation& allocation, WallTime from) {
  return {uid,
          allocation.container,
          allocation.pod_claim,
          allocation.claim,
          allocation.request,
          allocation.key,
          allocation.share_id,
          from,
          std::nullopt};
}

bool SameAllocation(const AllocationRecord& a, const AllocationRecord& b) {
  return a.container == b.container && a.pod_claim == b.pod_claim && a.claim == b.claim &&
         a.request == b.request && a.key == b.key && a.share_id == b.share_id;
}

}  // namespace

void PodTable::Restore(const StoredState& stored, Moment now) {
  started_ = now.boot;
  for (const PodRecord& record : stored.pods) restored_.emplace(record.uid, record);
  for (const AllocationRecord& record : stored.allocations) {
    open_before_[record.pod_uid].push_back(record);
  }
  for (const CdiIdRecord& record : stored.cdi_ids) cdi_.Restore(record);
}

void PodTable::Handle(const event::PodsListed& event, Moment now, Effects& effects) {
  std::set<std::string> present;
  for (const auto& pod : event.pods) present.insert(pod->uid);
  std::vector<std::string> gone;
  for (const auto& [uid, entry] : pods_) {
    if (!present.contains(uid)) gone.push_back(uid);
  }
  for (const std::string& uid : gone) Delete(uid, now, effects);
  for (const auto& pod : event.pods) Observe(pod, now, effects);
  if (std::exchange(listed_, true)) return;
  for (auto& [uid, record] : restored_) {
    record.deleted = now.wall;
    effects.writes.emplace_back(record);
    effects.writes.emplace_back(EndAllocations{uid, now.wall});
    open_before_.erase(uid);
  }
  restored_.clear();
}

void PodTable::Handle(const event::PodChanged& event, Moment now, Effects& effects) {
  Observe(event.pod, now, effects);
}

void PodTable::Handle(const event::PodDeleted& event, Moment now, Effects& effects) {
  Delete(event.uid, now, effects);
}

void PodTable::Handle(const event::CdiIdsRead& event, Moment now, Effects& effects) {
  DevicesChanged(cdi_.Handle(event, now.boot, effects));
}

void PodTable::Handle(const event::ClaimRead& event, Moment now, Effects& effects) {
  const auto found = pods_.find(event.pod_uid);
  if (found == pods_.end()) return;
  Entry& entry = found->second;
  if (entry.claims.Answer(event.name, event.claim, now.boot)) Remap(entry, now, effects);
  if (!event.claim && entry.claims.ShouldTell(event.name)) {
    const std::string& why = event.claim.error().message;
    // A missing permission is one fault, however many claims there are.
    const bool permission = why.starts_with("missing permission");
    trouble_.SayOnce(permission ? "claims: permission" : "claims: " + event.pod_uid + event.name,
                     Severity::kWarning,
                     "pod " + FullName(entry.record) + " waits for its claim: " + why, effects);
  }
  Queue(event.pod_uid);
}

void PodTable::Handle(const event::PodRead& event, Moment now, Effects& effects) {
  const auto found = pods_.find(event.uid);
  if (found == pods_.end()) return;
  if (event.pod && (*event.pod)->uid == event.uid) {
    Observe(*event.pod, now, effects);
  } else if (event.pod || event.pod.error().kind == ErrorKind::kItem) {
    Delete(event.uid, now, effects);  // gone, or another pod has its name now
  } else {
    const std::string& why = event.pod.error().message;
    if (why.starts_with("missing permission")) {
      trouble_.SayOnce("read pods", Severity::kError,
                       "cannot look at pods that have changed meanwhile: " + why, effects);
    }
    found->second.publisher.RereadFailed(now.boot);
    Queue(event.uid);
  }
}

void PodTable::Handle(const event::PatchDone& event, Moment now, Effects& effects) {
  --in_flight_;
  const auto found = pods_.find(event.uid);
  if (found == pods_.end()) return;
  Entry& entry = found->second;
  const std::string name = FullName(entry.record);
  MeasureLatency(entry, event, now.boot, effects);
  trouble_.Note(event, name, now.boot, effects);
  entry.record.last_error =
      event.outcome == event::PatchOutcome::kApplied ? "" : CutBytes(event.why, kMaxStoredMessage);
  switch (entry.publisher.Done(event, now.boot)) {
    case Publisher::Reaction::kNone:
      break;
    case Publisher::Reaction::kReread:
      effects.effects.emplace_back(
          effect::ReadPod{entry.record.namespace_name, entry.record.name, event.uid});
      if (entry.publisher.failures() >= kStaleToTell) {
        trouble_.SayOnce("stale " + event.uid, Severity::kWarning,
                         "patches of pod " + name +
                             " keep meeting another picture of it than the "
                             "one that was read, retrying: " +
                             event.why,
                         effects);
      }
      break;
    case Publisher::Reaction::kFieldDropped:
      server_.drops_field = true;
      trouble_.SayOnce("drops field", Severity::kWarning,
                       "the API server does not keep allocatedResourcesStatus (its feature gate "
                       "ResourceHealthStatus is off); publishing the condition alone until it has "
                       "been reconnected to",
                       effects);
      break;
    case Publisher::Reaction::kMessageDropped:
      server_.drops_messages = true;
      trouble_.SayOnce("drops messages", Severity::kWarning,
                       "the API server does not keep messages in allocatedResourcesStatus (its "
                       "feature gate ResourceHealthStatusMessage is off)",
                       effects);
      break;
    case Publisher::Reaction::kRefusedEntries:
      trouble_.SayOnce("refused " + event.uid, Severity::kError,
                       "the API server refuses a part of what pod " + name +
                           " shall say, leaving that out: " + event.why,
                       effects);
      break;
  }
  UpdateRecord(entry, now, effects, event.outcome == event::PatchOutcome::kApplied);
  Queue(event.uid);
}

void PodTable::Handle(const event::ApiReconnected&, Moment, Effects&) {
  server_ = {};
  trouble_.Reconnected();
  for (auto& [uid, entry] : pods_) {
    entry.publisher.RetryNow();
    Queue(uid);
  }
}

void PodTable::DevicesChanged(const std::vector<DeviceKey>& keys) {
  for (const DeviceKey& key : keys) {
    const auto holders = holders_.find(key);
    if (holders == holders_.end()) continue;
    for (const std::string& uid : holders->second) Queue(uid);
  }
}

void PodTable::HealthTurned(const DeviceKey& key, BootTime now) {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return;
  for (const std::string& uid : holders->second) {
    Entry& entry = pods_.at(uid);
    if (!entry.frozen && !entry.turned) entry.turned = now;
  }
}

void PodTable::DriverChanged(const std::string& driver) {
  const auto first = holders_.lower_bound(DeviceKey{driver, "", ""});
  for (auto it = first; it != holders_.end() && it->first.driver == driver; ++it) {
    for (const std::string& uid : it->second) Queue(uid);
  }
}

void PodTable::Settle(Moment now, Effects& effects) {
  cdi_.Tick(now.boot, effects);
  while (!wakes_.empty() && wakes_.begin()->first <= now.boot) {
    const std::string uid = wakes_.begin()->second;
    SetWake(uid, pods_.at(uid), BootTime::max());
    Queue(uid);
  }
  const std::size_t room = trouble_.Room(settings_.max_patches_in_flight);
  while (!queue_.empty() && in_flight_ < room && trouble_.paused_until() <= now.boot) {
    const std::string uid = std::move(queue_.front());
    queue_.pop_front();
    const auto found = pods_.find(uid);
    if (found == pods_.end()) continue;
    Entry& entry = found->second;
    entry.queued = false;
    ReadDueClaims(entry, now, effects);
    BootTime wake = entry.claims.NextDeadline();
    Rebuild(entry, now, wake);
    AskToHold(entry, effects);
    if (auto patch = entry.publisher.Next(now, cdi_.names())) {
      ++in_flight_;
      entry.sending = std::exchange(entry.turned, std::nullopt);
      effects.effects.emplace_back(effect::Patch{*std::move(patch)});
    }
    Compare(entry, now, wake, effects);
    SetWake(uid, entry, std::min(wake, entry.publisher.wake_at()));
    // Nothing is left to say: it turned and turned back before it could be sent.
    if (!entry.wake && !entry.publisher.busy()) entry.turned.reset();
    UpdateRecord(entry, now, effects, false);
    if (entry.record.field == FieldState::kContested) {
      trouble_.SayOnce(
          "contested", Severity::kWarning,
          "another writer, most likely the kubelet, takes allocatedResourcesStatus of "
          "pod " +
              FullName(entry.record) +
              " and maybe others away; putting it back at "
              "growing intervals and keeping the condition right. The admission policy in "
              "manifests/guard lets both writers live together",
          effects);
    }
  }
}

PodSummary PodTable::Summarize() const {
  PodSummary summary;
  for (const FieldState state : {FieldState::kPending, FieldState::kOwn, FieldState::kDeferred,
                                 FieldState::kContested, FieldState::kDropped, FieldState::kNone}) {
    summary.by_field[state] = 0;
  }
  summary.queued = queue_.size();
  summary.patches_in_flight = in_flight_;
  summary.reverts = reverts_of_gone_pods_;
  for (const auto& [uid, entry] : pods_) {
    summary.differences += entry.differences.size();
    if (!entry.freezes_at) ++summary.by_field[entry.record.field];
    summary.reverts += entry.publisher.all_reverts();
  }
  return summary;
}

BootTime PodTable::NextDeadline() const {
  BootTime next = cdi_.NextDeadline();
  if (!wakes_.empty()) next = std::min(next, wakes_.begin()->first);
  if (!queue_.empty() && in_flight_ == 0) next = std::min(next, trouble_.paused_until());
  return next;
}

void PodTable::Observe(const std::shared_ptr<const Pod>& pod, Moment now, Effects& effects) {
  auto found = pods_.find(pod->uid);
  if (found == pods_.end()) {
    if (!HoldsClaims(*pod)) return;
    const std::uint64_t seed = seed_ ^ std::hash<std::string>{}(pod->uid);
    found = pods_.try_emplace(pod->uid, settings_, server_, seed).first;
    PodRecord& record = found->second.record;
    if (const auto before = restored_.extract(pod->uid)) {
      record = before.mapped();
      found->second.publisher.Restore(record.field);
    } else {
      record.uid = pod->uid;
      record.namespace_name = pod->namespace_name;
      record.name = pod->name;
      record.first_seen = now.wall;
    }
  }
  Entry& entry = found->second;
  Queue(pod->uid);
  if (!entry.publisher.Observe(pod, now.boot)) return;
  entry.claims.Learn(*pod);
  Remap(entry, now, effects);
  if (pod->ended && !entry.freezes_at) End(entry, now);
}

void PodTable::End(Entry& entry, Moment now) {
  BootTime ask_again = BootTime::max();
  if (entry.publisher.want()) Rebuild(entry, now, ask_again);
  if (!entry.record.ended) entry.record.ended = now.wall;
  const auto window = std::chrono::milliseconds{settings_.late_report_window};
  const auto left =
      window - (now.wall - *entry.record.ended);  // it may have ended before our start
  entry.freezes_at = now.boot + std::clamp(left, std::chrono::milliseconds{0}, window);
}

void PodTable::Delete(const std::string& uid, Moment now, Effects& effects) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Entry& entry = found->second;
  entry.record.deleted = now.wall;
  effects.writes.emplace_back(entry.record);
  effects.writes.emplace_back(EndAllocations{uid, now.wall});
  for (const Allocation& allocation : entry.allocations) {
    const auto holders = holders_.find(allocation.key);
    if (holders == holders_.end()) continue;
    holders->second.erase(uid);
    if (holders->second.empty()) holders_.erase(holders);
  }
  held_.Remove(uid);
  for (const std::string& other : held_.TakeChanged()) Queue(other);
  SetWake(uid, entry, BootTime::max());
  open_before_.erase(uid);
  reverts_of_gone_pods_ += entry.publisher.all_reverts();
  pods_.erase(found);
}

void PodTable::ReadDueClaims(Entry& entry, Moment now, Effects& effects) {
  for (std::string& name : entry.claims.TakeDue(now.boot)) {
    effects.effects.emplace_back(
        effect::ReadClaim{entry.record.namespace_name, std::move(name), entry.record.uid});
  }
}

void PodTable::Remap(Entry& entry, Moment now, Effects& effects) {
  auto allocations = MapAllocations(entry.publisher.pod(), [&](const std::string& pod_claim) {
    return entry.claims.Find(pod_claim);
  });
  const std::string& uid = entry.record.uid;
  auto& before = open_before_[uid];
  for (const Allocation& allocation : allocations) {
    if (std::ranges::binary_search(entry.allocations, allocation)) continue;
    FreezeFormerOwners(allocation.key, uid);
    holders_[allocation.key].insert(uid);
    const AllocationRecord record = ToRecord(uid, allocation, now.wall);
    const bool known = std::ranges::any_of(
        before, [&](const AllocationRecord& other) { return SameAllocation(record, other); });
    if (!known) effects.writes.emplace_back(record);
  }
  if (before.empty()) open_before_.erase(uid);
  entry.allocations = std::move(allocations);
  DeviceChanges changes;
  for (const Allocation& allocation : entry.allocations) {
    if (drivers_.OfferOf(allocation.key.driver) == DriverTable::Offer::kNo) continue;
    devices_.Allocate(allocation.key, now, changes);
    cdi_.Allocated(allocation.key, now.boot);
  }
  std::ranges::move(changes.writes, std::back_inserter(effects.writes));
}

PublishedDevice PodTable::ViewOf(const Pod& pod, const DeviceKey& key) const {
  const auto offer = drivers_.OfferOf(key.driver);
  if (offer == DriverTable::Offer::kNo) {
    return {
        {Health::kUnknown, UnknownReason::kNotSupported, "", {}}, cdi_.ResourceIdOf(key), false};
  }
  PublishedDevice view;
  view.resource_id = cdi_.ResourceIdOf(key);
  if (const DeviceHealth* health = devices_.Find(key)) view.health = *health;
  // A driver that this agent has never seen offers nothing, unless the pod says that it did once.
  view.counts = offer == DriverTable::Offer::kYes || pod.condition.has_value();
  return view;
}

std::optional<Publication> PodTable::WantOf(const Entry& entry, Moment now,
                                            BootTime& ask_again) const {
  const Pod& pod = entry.publisher.pod();
  bool waiting = !entry.claims.answered();
  bool unhealthy = false;
  for (const Allocation& allocation : entry.allocations) {
    const std::string& driver = allocation.key.driver;
    const auto offer = drivers_.OfferOf(driver);
    const DeviceHealth* health = devices_.Find(allocation.key);
    if (offer == DriverTable::Offer::kNo || health == nullptr) continue;
    unhealthy |= health->health == Health::kUnhealthy;
    if (health->reason != UnknownReason::kNeverReported) continue;
    // After a start, and after a driver's, the first report is on its way: no alarm before it.
    const BootTime until =
        std::max(started_, drivers_.FirstSeen(driver).value_or(started_)) + settings_.report_grace;
    if (now.boot >= until) continue;
    waiting = true;
    ask_again = std::min(ask_again, until);
  }
  // What was said before all is known must not stand when it is not so any more.
  if (waiting && !unhealthy && !entry.publisher.want()) return std::nullopt;
  return BuildPublication(pod, entry.allocations,
                          [&](const DeviceKey& key) { return ViewOf(pod, key); });
}

void PodTable::Rebuild(Entry& entry, Moment now, BootTime& ask_again) {
  if (entry.freezes_at) {
    entry.frozen = entry.frozen || now.boot >= *entry.freezes_at;
    if (entry.frozen || !HasLateReport(entry)) return;
  }
  entry.publisher.Want(WantOf(entry, now, ask_again));
}

void PodTable::FreezeFormerOwners(const DeviceKey& key, const std::string& new_owner) {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return;
  for (const std::string& uid : holders->second) {
    if (uid == new_owner) continue;
    Entry& other = pods_.at(uid);
    other.frozen = other.freezes_at.has_value();
  }
}

bool PodTable::HasLateReport(const Entry& entry) const {
  return std::ranges::none_of(entry.allocations, [&](const Allocation& allocation) {
    const DeviceHealth* health = devices_.Find(allocation.key);
    return health != nullptr && (health->reason == UnknownReason::kLeaseExpired ||
                                 health->reason == UnknownReason::kDriverGone ||
                                 health->reason == UnknownReason::kNodeRebooted);
  });
}

void PodTable::AskToHold(Entry& entry, Effects& effects) {
  const auto& want = entry.publisher.want();
  if (!want) return;
  const std::string& uid = entry.record.uid;
  if (want->condition) {
    const bool healthy = want->condition->summary == Health::kHealthy;
    entry.publisher.Hold(held_.Ask(uid, healthy));
  } else {
    held_.Remove(uid);
  }
  for (const std::string& other : held_.TakeChanged()) Queue(other);
  if (held_.full()) {
    trouble_.SayOnce("held", Severity::kWarning,
                     "more than " + std::to_string(settings_.max_held_pods) +
                         " pods hold devices: the others get the condition without "
                         "allocatedResourcesStatus (--max-held-pods)",
                     effects);
  }
}

void PodTable::Compare(Entry& entry, Moment now, BootTime& ask_again, Effects& effects) {
  std::vector<FieldDifference> differences;
  if (entry.publisher.field_state() == FieldState::kDeferred) {
    differences = entry.publisher.Differences(cdi_.names());
  }
  auto changed = entry.differences.Update(std::move(differences), now);
  ask_again = std::min(ask_again, entry.differences.wake_at());
  if (changed) effects.writes.emplace_back(FieldDifferences{entry.record.uid, *std::move(changed)});
}

void PodTable::MeasureLatency(Entry& entry, const event::PatchDone& done, BootTime now,
                              Effects& effects) {
  const auto turned = std::exchange(entry.sending, std::nullopt);
  if (!turned) return;
  if (done.outcome == event::PatchOutcome::kApplied) {
    effects.effects.emplace_back(effect::Published{now - *turned});
  } else {
    entry.turned = turned;  // earlier than any that came meanwhile
  }
}

// That a field is ours is what everybody expects, and not said unless it was not.
void PodTable::SayWhoHolds(Entry& entry, FieldState now, Effects& effects) {
  const FieldState before = std::exchange(entry.said_holder, now);
  std::string who;
  if (now == before) return;
  if (now == FieldState::kDeferred) who = "is left to the kubelet";
  if (now == FieldState::kContested) who = "is contested: our entries are taken away";
  if (now == FieldState::kOwn &&
      (before == FieldState::kDeferred || before == FieldState::kContested)) {
    who = "is the agent's again";
  }
  if (who.empty()) {
    if (now != FieldState::kOwn) entry.said_holder = before;
    return;
  }
  effects.effects.emplace_back(effect::Notice{
      Severity::kInfo, "allocatedResourcesStatus of pod " + FullName(entry.record) + " " + who});
}

void PodTable::UpdateRecord(Entry& entry, Moment now, Effects& effects, bool published) {
  PodRecord record = entry.record;
  const auto& condition = entry.publisher.pod().condition;
  record.field = entry.publisher.field_state();
  record.condition = condition ? std::optional(condition->status.summary) : std::nullopt;
  record.reason = condition ? condition->status.reason : "";
  record.message = condition ? condition->status.message : "";
  if (published) record.last_published = now.wall;
  if (record == entry.stored) return;
  SayWhoHolds(entry, record.field, effects);
  entry.record = record;
  entry.stored = record;
  effects.writes.emplace_back(std::move(record));
}

void PodTable::Queue(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || std::exchange(found->second.queued, true)) return;
  queue_.push_back(uid);
}

void PodTable::SetWake(const std::string& uid, Entry& entry, BootTime at) {
  if (entry.wake) wakes_.erase({*entry.wake, uid});
  entry.wake.reset();
  if (at == BootTime::max()) return;
  entry.wake = at;
  wakes_.emplace(at, uid);
}

}  // namespace dra_health

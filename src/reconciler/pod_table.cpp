#include "reconciler/pod_table.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include "base/text.h"

namespace dra_health {
namespace {

using effect::Severity;

// The patcher says so of every 403.
bool IsMissingPermission(const std::string& why) { return why.starts_with("missing permission"); }

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
  for (const ContainerRecord& record : stored.containers) {
    runs_before_[record.pod_uid].push_back(record);
  }
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
  runs_before_.clear();
}

void PodTable::Handle(const event::PodChanged& event, Moment now, Effects& effects) {
  Observe(event.pod, now, effects);
}

void PodTable::Handle(const event::PodDeleted& event, Moment now, Effects& effects) {
  Delete(event.uid, now, effects);
}

void PodTable::Handle(const event::CdiIdsRead& event, Moment now, Effects& effects) {
  DevicesChanged(cdi_.Handle(event, now.boot, effects), now);
}

void PodTable::Handle(const event::ClaimRead& event, Moment now, Effects& effects) {
  const auto found = pods_.find(event.pod_uid);
  if (found == pods_.end()) return;
  Entry& entry = found->second;
  if (entry.claims.Answer(event.name, event.claim, now.boot)) Remap(entry, now, effects);
  if (!event.claim && entry.claims.ShouldTell(event.name)) {
    const std::string& why = event.claim.error().message;
    // A missing permission is one fault, however many claims there are.
    const bool permission = IsMissingPermission(why);
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
    if (IsMissingPermission(why)) {
      trouble_.SayOnce("read pods", Severity::kError,
                       "cannot look at pods that have changed meanwhile: " + why, effects);
    }
    found->second.publisher.RereadFailed(now.boot);
    Queue(event.uid);
  }
}

void PodTable::DevicesChanged(const std::vector<DeviceKey>& keys, Moment now) {
  for (const DeviceKey& key : keys) {
    const auto holders = holders_.find(key);
    if (holders == holders_.end()) continue;
    for (const std::string& uid : holders->second) {
      Queue(uid);
      // What counts for an ended pod is when it was reported, not when there is room to say it.
      Entry& entry = pods_.at(uid);
      BootTime ask_again = BootTime::max();
      if (entry.freezes_at) Rebuild(entry, now, ask_again);
    }
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

void PodTable::DriverChanged(const std::string& driver, Moment now, Effects& effects) {
  DeviceChanges changes;
  const auto first = holders_.lower_bound(DeviceKey{driver, "", ""});
  const bool offers = drivers_.OfferOf(driver) != DriverTable::Offer::kNo;
  for (auto it = first; it != holders_.end() && it->first.driver == driver; ++it) {
    if (offers) devices_.Allocate(it->first, now, changes);
    for (const std::string& uid : it->second) Queue(uid);
  }
  std::ranges::move(changes.writes, std::back_inserter(effects.writes));
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
      if (auto runs = runs_before_.extract(pod->uid)) {
        found->second.runs.Restore(std::move(runs.mapped()));
      }
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
  entry.runs.Learn(*pod, effects.writes);
  Remap(entry, now, effects);
  if (pod->ended && !entry.freezes_at) End(entry, now);
}

void PodTable::End(Entry& entry, Moment now) {
  BootTime ask_again = BootTime::max();
  if (entry.publisher.want()) Rebuild(entry, now, ask_again);
  NoteFaults(entry);
  // It ended before this run, with a fault that the pod names and we may not know any more.
  const auto& condition = entry.publisher.pod().condition;
  const bool unhealthy = condition && condition->status.summary == Health::kUnhealthy;
  entry.frozen = unhealthy && !entry.publisher.want();
  if (!entry.record.ended) entry.record.ended = now.wall;
  const auto window = std::chrono::milliseconds{settings_.late_report_window};
  const auto left =
      window - (now.wall - *entry.record.ended);  // it may have ended before our start
  entry.freezes_at = now.boot + std::clamp(left, std::chrono::milliseconds{0}, window);
}

void PodTable::NoteFaults(Entry& entry) {
  for (const Allocation& allocation : entry.allocations) {
    if (drivers_.OfferOf(allocation.key.driver) == DriverTable::Offer::kNo) continue;
    const DeviceHealth* health = devices_.Find(allocation.key);
    if (health == nullptr || health->health != Health::kUnhealthy) continue;
    entry.kept.try_emplace(allocation.key, *health);
  }
}

void PodTable::Delete(const std::string& uid, Moment now, Effects& effects) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Entry& entry = found->second;
  entry.record.deleted = now.wall;
  effects.writes.emplace_back(entry.record);
  effects.writes.emplace_back(EndAllocations{uid, now.wall});
  for (const Allocation& allocation : entry.allocations) Unhold(allocation.key, uid);
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
    if (entry.freezes_at && HasNewOwner(allocation.key, uid)) entry.frozen = true;
    holders_[allocation.key].insert(uid);
    const AllocationRecord record = ToRecord(uid, allocation, now.wall);
    const bool known = std::ranges::any_of(
        before, [&](const AllocationRecord& other) { return SameAllocation(record, other); });
    cdi_.Allocated(allocation.key, !known, now.boot);
    if (!known) effects.writes.emplace_back(record);
  }
  if (before.empty()) open_before_.erase(uid);
  const auto before_this = std::exchange(entry.allocations, std::move(allocations));
  for (const Allocation& gone : before_this) {
    const auto same_device = [&](const Allocation& other) { return other.key == gone.key; };
    if (std::ranges::none_of(entry.allocations, same_device)) Unhold(gone.key, uid);
  }
  DeviceChanges changes;
  for (const Allocation& allocation : entry.allocations) {
    if (drivers_.OfferOf(allocation.key.driver) == DriverTable::Offer::kNo) continue;
    devices_.Allocate(allocation.key, now, changes);
  }
  std::ranges::move(changes.writes, std::back_inserter(effects.writes));
  if (entry.freezes_at && !entry.frozen) NoteFaults(entry);
}

void PodTable::Unhold(const DeviceKey& key, const std::string& uid) {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return;
  holders->second.erase(uid);
  if (holders->second.empty()) holders_.erase(holders);
}

void PodTable::FreezeFormerOwners(const DeviceKey& key, const std::string& new_owner) {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return;
  for (const std::string& uid : holders->second) {
    if (uid == new_owner) continue;
    Entry& other = pods_.at(uid);
    const DeviceHealth* health = devices_.Find(key);
    if (!other.freezes_at || health == nullptr) continue;
    if (HasExpired(*health)) {
      other.frozen = true;  // the pod says what was before
    } else {
      other.kept.try_emplace(key, *health);
    }
  }
}

bool PodTable::HasNewOwner(const DeviceKey& key, const std::string& former_owner) const {
  const auto holders = holders_.find(key);
  return holders != holders_.end() &&
         std::ranges::any_of(holders->second, [&](const std::string& uid) {
           return uid != former_owner && !pods_.at(uid).freezes_at;
         });
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

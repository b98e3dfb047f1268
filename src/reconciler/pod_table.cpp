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
          std::nullopt,
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
  for (const DeviceRecord& record : stored.devices) {
    health_before_.emplace(record.key, record.health);
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
  }
  restored_.clear();
  open_before_.clear();
  runs_before_.clear();
  health_before_.clear();
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
      Entry& entry = pods_.at(uid);
      if (AwaitsLateReport(entry, key, now)) TakeLateReport(entry, key, now);
    }
  }
}

void PodTable::HealthTurned(const DeviceKey& key, BootTime now) {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return;
  for (const std::string& uid : holders->second) {
    Entry& entry = pods_.at(uid);
    if (!entry.late_until && !entry.turned) entry.turned = now;
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
  const auto found = pods_.find(pod->uid);
  const bool known = found != pods_.end();
  if (!known && !HoldsClaims(*pod)) return;
  Entry& entry = known ? found->second : Add(*pod, now);
  Queue(pod->uid);
  if (!entry.publisher.Observe(pod, now.boot)) return;
  const bool ends = pod->ended && !entry.late_until;
  if (ends) entry.claims.Restore(entry.written);
  entry.claims.Learn(*pod);
  entry.runs.Learn(*pod, effects.writes);
  Remap(entry, now, effects);
  if (ends) End(entry, known, now, effects);
}

PodTable::Entry& PodTable::Add(const Pod& pod, Moment now) {
  const std::uint64_t seed = seed_ ^ std::hash<std::string>{}(pod.uid);
  Entry& entry = pods_.try_emplace(pod.uid, settings_, server_, seed).first->second;
  if (const auto before = restored_.extract(pod.uid)) {
    entry.record = std::move(before.mapped());
    entry.publisher.Restore(entry.record.field);
  } else {
    entry.record.uid = pod.uid;
    entry.record.namespace_name = pod.namespace_name;
    entry.record.name = pod.name;
    entry.record.first_seen = now.wall;
  }
  if (auto open = open_before_.extract(pod.uid)) {
    entry.written = std::move(open.mapped());
  }
  if (auto runs = runs_before_.extract(pod.uid)) entry.runs.Restore(std::move(runs.mapped()));
  return entry;
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
  reverts_of_gone_pods_ += entry.publisher.all_reverts();
  pods_.erase(found);
}

BootTime PodTable::ReadDueClaims(Entry& entry, Moment now, Effects& effects) {
  // What is not allocated at a pod's end will not be.
  const bool over = entry.late_until && now.boot >= *entry.late_until;
  if (over && entry.claims.answered()) return BootTime::max();
  for (std::string& name : entry.claims.TakeDue(now.boot)) {
    effects.effects.emplace_back(
        effect::ReadClaim{entry.record.namespace_name, std::move(name), entry.record.uid});
  }
  return entry.claims.NextDeadline();
}

void PodTable::Remap(Entry& entry, Moment now, Effects& effects) {
  auto allocations = MapAllocations(entry.publisher.pod(), [&](const std::string& pod_claim) {
    return entry.claims.Find(pod_claim);
  });
  const std::string& uid = entry.record.uid;
  std::set<DeviceKey> learned;
  for (const Allocation& allocation : allocations) {
    if (std::ranges::binary_search(entry.allocations, allocation)) continue;
    learned.insert(allocation.key);
    holders_[allocation.key].insert(uid);
    AllocationRecord record = ToRecord(uid, allocation, now.wall);
    const bool known = std::ranges::any_of(entry.written, [&](const AllocationRecord& other) {
      return SameAllocation(record, other);
    });
    cdi_.Allocated(allocation.key, !known, now.boot);
    if (known) continue;
    if (!entry.late_until) CloseFormerOwners(allocation.key, now, effects);
    const auto last = entry.last.find(allocation.key);
    if (last != entry.last.end()) record.last = last->second;
    entry.written.push_back(record);
    effects.writes.emplace_back(std::move(record));
  }
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
  if (!entry.late_until || now.boot >= *entry.late_until) return;
  for (const DeviceKey& key : learned) {
    TakeLast(entry, key, HasNewOwner(key, uid), now, effects);
  }
}

void PodTable::Unhold(const DeviceKey& key, const std::string& uid) {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return;
  holders->second.erase(uid);
  if (holders->second.empty()) holders_.erase(holders);
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

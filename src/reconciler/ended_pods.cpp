// What stands of the devices of pods that have ended.

#include <algorithm>
#include <span>
#include <utility>

#include "reconciler/pod_table.h"

namespace dra_health {
namespace {

// Nobody has spoken of the device since.
bool IsSilence(const DeviceHealth& health) {
  return health.reason != UnknownReason::kNone && health.reason != UnknownReason::kDriverSaysSo;
}

}  // namespace

void PodTable::End(Entry& entry, bool seen_running, Moment now, Effects& effects) {
  if (!seen_running) RestoreLast(entry, effects);
  if (seen_running ? SaysMoreThanIsKnown(entry) : SaysMoreThanIsStored(entry)) {
    entry.left_alone = true;
    ForgetLast(entry, effects);
  }
  if (!entry.record.ended) {
    entry.record.ended = now.wall;
    entry.stored = entry.record;
    effects.writes.emplace_back(entry.record);
  }
  const auto window = std::chrono::milliseconds{settings_.late_report_window};
  const auto left =
      window - (now.wall - *entry.record.ended);  // it may have ended before our start
  entry.freezes_at = now.boot + std::clamp(left, std::chrono::milliseconds{0}, window);
  if (!seen_running && now.boot >= *entry.freezes_at) {
    // What is over and said is said once: a restart is no reason to contest its field anew.
    BootTime ask_again = BootTime::max();
    const auto want = WantOf(entry, now, ask_again);
    const auto& condition = entry.publisher.pod().condition;
    entry.left_alone |= want && condition && want->condition == condition->status;
    return;
  }
  for (const Allocation& allocation : entry.allocations) {
    const bool owned = !seen_running && HasNewOwner(allocation.key, entry.record.uid);
    TakeLast(entry, allocation.key, owned, now, effects);
  }
}

// By an earlier agent, whose store was lost.
bool PodTable::SaysMoreThanIsKnown(const Entry& entry) const {
  if (!entry.publisher.pod().condition || entry.publisher.want()) return false;
  return std::ranges::none_of(entry.allocations, [&](const Allocation& allocation) {
    const PublishedDevice device = ViewOf(entry, allocation.key);
    return device.counts && device.health.reason != UnknownReason::kNeverReported;
  });
}

// An earlier agent could publish and not write, or its store was lost.
bool PodTable::SaysMoreThanIsStored(const Entry& entry) {
  const auto& condition = entry.publisher.pod().condition;
  if (!condition) return false;
  std::optional<Health> last;
  for (const auto& [key, device] : entry.last) {
    if (!device.counts) continue;
    if (!last || IsWorse(device.health.health, *last)) last = device.health.health;
  }
  const Health said = condition->status.summary;
  return entry.last.empty() || (said != entry.record.condition && said != last);
}

void PodTable::RestoreLast(Entry& entry, Effects& effects) {
  for (const AllocationRecord& record : entry.written) {
    if (record.last) entry.last.emplace(record.key, *record.last);
  }
  if (entry.record.ended) return;
  for (const Allocation& allocation : entry.allocations) {
    const DeviceKey& key = allocation.key;
    const auto before = health_before_.find(key);
    if (before == health_before_.end() || entry.last.contains(key)) continue;
    PublishedDevice device = ViewOf(entry, key);
    if (device.counts) device.health = before->second;
    const bool fault = device.health.health == Health::kUnhealthy;
    SetLast(entry, key, {std::move(device.health), device.counts, fault}, effects);
  }
}

void PodTable::TakeLast(Entry& entry, const DeviceKey& key, bool owned, Moment now,
                        Effects& effects) {
  if (entry.left_alone) return;
  const auto found = entry.last.find(key);
  if (found == entry.last.end()) {
    PublishedDevice device = ViewOf(entry, key);
    if (owned) device.health = {.since = now.wall};
    const bool fault = device.health.health == Health::kUnhealthy;
    SetLast(entry, key, {std::move(device.health), device.counts, owned || fault}, effects);
  } else if (owned && !found->second.closed) {
    LastHealth last = found->second;
    last.closed = true;
    SetLast(entry, key, std::move(last), effects);
  } else if (!found->second.closed) {
    TakeLateReport(entry, key, effects);
  }
}

void PodTable::TakeLateReport(Entry& entry, const DeviceKey& key, Effects& effects) {
  const DeviceHealth* health = devices_.Find(key);
  const bool offers = drivers_.OfferOf(key.driver) != DriverTable::Offer::kNo;
  if (!offers || health == nullptr || IsSilence(*health)) return;
  if (entry.last.at(key).health != *health) SetLast(entry, key, {*health}, effects);
}

bool PodTable::AwaitsLateReport(const Entry& entry, const DeviceKey& key, Moment now) {
  const auto last = entry.last.find(key);
  return last != entry.last.end() && !last->second.closed && now.boot < entry.freezes_at;
}

bool PodTable::KnowsLast(const Entry& entry) {
  return !entry.left_alone && !entry.last.empty() &&
         std::ranges::all_of(entry.allocations, [&](const auto& allocation) {
           return entry.last.contains(allocation.key);
         });
}

void PodTable::SetLast(Entry& entry, const DeviceKey& key, LastHealth last, Effects& effects) {
  for (AllocationRecord& record : entry.written) {
    if (record.key != key) continue;
    record.last = last;
    effects.writes.emplace_back(record);
  }
  entry.last.insert_or_assign(key, std::move(last));
}

// Else the next agent would take it for news that this one could not publish.
void PodTable::ForgetLast(Entry& entry, Effects& effects) {
  entry.last.clear();
  for (AllocationRecord& record : entry.written) {
    if (!std::exchange(record.last, std::nullopt)) continue;
    effects.writes.emplace_back(record);
  }
}

void PodTable::CloseFormerOwners(const DeviceKey& key, Moment now, Effects& effects) {
  for (const std::string& uid : holders_.at(key)) {
    Entry& other = pods_.at(uid);
    if (!AwaitsLateReport(other, key, now)) continue;
    LastHealth last = other.last.at(key);
    last.closed = true;
    SetLast(other, key, std::move(last), effects);
  }
}

bool PodTable::HasNewOwner(const DeviceKey& key, const std::string& former_owner) const {
  const auto holders = holders_.find(key);
  if (holders == holders_.end()) return false;
  return std::ranges::any_of(holders->second, [&](const std::string& uid) {
    const Entry& other = pods_.at(uid);
    if (uid == former_owner || other.freezes_at) return false;
    const auto before = std::span(other.written).first(other.written_before);
    return std::ranges::find(before, key, &AllocationRecord::key) == before.end();
  });
}

}  // namespace dra_health

// What stands of the devices of pods that have ended.

#include <algorithm>
#include <utility>

#include "reconciler/pod_table.h"

namespace dra_health {
namespace {

// Nobody has spoken of the device for longer than its lease.
bool IsSilence(const DeviceHealth& health) {
  return health.reason != UnknownReason::kNone && health.reason != UnknownReason::kDriverSaysSo;
}

std::optional<Health> ConditionOf(const std::map<DeviceKey, LastHealth>& devices) {
  std::optional<Health> worst;
  for (const auto& [key, device] : devices) {
    if (!device.counts) continue;
    if (!worst || IsWorse(device.health.health, *worst)) worst = device.health.health;
  }
  return worst;
}

// None, where no container says when it ended: the pod was evicted, for instance.
std::optional<WallTime> LastEnd(const Pod& pod) {
  std::optional<WallTime> last;
  for (const ContainerStatus& status : pod.statuses) {
    for (const ContainerRun& run : status.runs) last = std::max(last, run.ended);
  }
  return last;
}

}  // namespace

void PodTable::End(Entry& entry, bool seen_running, Moment now, Effects& effects) {
  const Pod& pod = entry.publisher.pod();
  if (!seen_running) RestoreLast(entry, effects);
  if (seen_running ? SaysMoreThanIsKnown(entry) : SaysMoreThanIsStored(entry)) {
    entry.left_alone = true;
    ForgetLast(entry, effects);
  }
  if (!entry.record.ended) {
    const auto told = seen_running ? std::nullopt : LastEnd(pod);
    entry.record.ended = std::min(told.value_or(now.wall), now.wall);
    entry.stored = entry.record;
    effects.writes.emplace_back(entry.record);
  }
  const auto window = std::chrono::milliseconds{settings_.late_report_window};
  const auto left = window - (now.wall - *entry.record.ended);
  entry.late_until = now.boot + std::clamp(left, std::chrono::milliseconds{0}, window);
  if (!seen_running && now.boot >= *entry.late_until) {
    // It is over, and said once: a restart is no reason to contest its field anew.
    entry.left_alone |= pod.condition && pod.condition->status.summary == ConditionOf(entry.last);
    return;
  }
  for (const Allocation& allocation : entry.allocations) {
    TakeLast(entry, allocation.key, false, now, effects);
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
  const Health said = condition->status.summary;
  return entry.last.empty() || (said != entry.record.condition && said != ConditionOf(entry.last));
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
  if (entry.last.contains(key)) {
    if (owned) Close(entry, key, effects);
    if (!entry.last.at(key).closed) TakeLateReport(entry, key, now);
    return;
  }
  PublishedDevice device = ViewOf(entry, key);
  if (owned) device = {.health = {.since = now.wall}, .resource_id = {}, .counts = false};
  const bool fault = device.health.health == Health::kUnhealthy;
  SetLast(entry, key, {std::move(device.health), device.counts, owned || fault}, effects);
}

void PodTable::TakeLateReport(Entry& entry, const DeviceKey& key, Moment now) {
  const DeviceHealth* health = devices_.Find(key);
  const bool offers = drivers_.OfferOf(key.driver) != DriverTable::Offer::kNo;
  if (!offers || health == nullptr || IsSilence(*health)) return;
  DeviceHealth& late = entry.late.try_emplace(key, *health).first->second;
  if (late.health != Health::kUnhealthy) late = *health;
  holds_late_reports_ = true;
  if (entry.last.at(key).health.health != health->health && !entry.turned) entry.turned = now.boot;
}

void PodTable::SettleLateReports(Effects& effects) {
  if (!holds_late_reports_ || !AreOwnersKnown()) return;
  holds_late_reports_ = false;
  for (auto& [uid, entry] : pods_) {
    for (auto& [key, health] : std::exchange(entry.late, {})) {
      const LastHealth& last = entry.last.at(key);
      if (last.closed || last.health == health) continue;
      const bool fault = health.health == Health::kUnhealthy;
      SetLast(entry, key, {std::move(health), true, fault}, effects);
      Queue(uid);
    }
  }
}

bool PodTable::AreOwnersKnown() const {
  return std::ranges::all_of(
      pods_, [](const auto& pod) { return pod.second.late_until || pod.second.claims.answered(); });
}

bool PodTable::AwaitsLateReport(const Entry& entry, const DeviceKey& key, Moment now) {
  const auto last = entry.last.find(key);
  return last != entry.last.end() && !last->second.closed && now.boot < entry.late_until;
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
    if (AwaitsLateReport(other, key, now)) Close(other, key, effects);
  }
}

void PodTable::Close(Entry& entry, const DeviceKey& key, Effects& effects) {
  LastHealth last = entry.last.at(key);
  if (std::exchange(last.closed, true)) return;
  SetLast(entry, key, std::move(last), effects);
}

bool PodTable::HasNewOwner(const DeviceKey& key, const std::string& former_owner) const {
  const auto holders = holders_.find(key);
  return holders != holders_.end() &&
         std::ranges::any_of(holders->second, [&](const std::string& uid) {
           return uid != former_owner && !pods_.at(uid).late_until;
         });
}

}  // namespace dra_health

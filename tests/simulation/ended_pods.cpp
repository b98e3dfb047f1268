#include "ended_pods.h"

#include <algorithm>

namespace dra_health {

void EndedPods::Restarted(const StoredState& stored) {
  pods_.clear();
  before_.clear();
  health_before_.clear();
  for (const PodRecord& record : stored.pods) {
    before_[record.uid].ended = record.ended;
    before_[record.uid].condition = record.condition;
  }
  for (const AllocationRecord& record : stored.allocations) {
    Before& before = before_[record.pod_uid];
    before.held.emplace(record.claim, record.key);
    if (!record.last) continue;
    before.last[record.key] = {record.last->health.health, record.last->counts,
                               record.last->closed};
  }
  for (const DeviceRecord& record : stored.devices) {
    health_before_[record.key] = record.health.health;
  }
}

void EndedPods::Seen(const Pod& pod, Moment now, std::chrono::milliseconds window) {
  const auto [found, added] = pods_.try_emplace(pod.uid);
  Known& known = found->second;
  if (added) {
    if (auto before = before_.extract(pod.uid)) known.before = std::move(before.mapped());
    for (const PodClaim& claim : pod.claims) known.pending.insert(*claim.claim_name);
  }
  const int version = std::stoi(pod.resource_version);
  if (version < known.version) return;
  known.version = version;
  if (!pod.ended || std::exchange(known.ended, true)) return;
  const auto said = pod.condition ? std::optional(pod.condition->status.summary) : std::nullopt;
  End(known, !added, said, now, window);
}

void EndedPods::Answered(const Pod& pod) {
  const auto found = pods_.find(pod.uid);
  if (found == pods_.end()) return;
  found->second.version = std::max(found->second.version, std::stoi(pod.resource_version));
}

void EndedPods::Keep(const std::set<std::string>& uids) {
  std::erase_if(pods_, [&](const auto& pod) { return !uids.contains(pod.first); });
}

void EndedPods::SeenAll() {
  before_.clear();
  health_before_.clear();
}

void EndedPods::End(Known& pod, bool seen_running, std::optional<Health> said, Moment now,
                    std::chrono::milliseconds window) {
  const WallTime ended = pod.before.ended.value_or(now.wall);
  pod.until = now.boot + std::clamp(window - (now.wall - ended), window.zero(), window);
  for (const auto& [claim, key] : pod.before.held) {
    pod.claims.insert(claim);
    pod.held.insert(key);
  }
  if (!seen_running) {
    pod.last = pod.before.last;
    for (const DeviceKey& key : pod.held) {
      const auto before = health_before_.find(key);
      if (pod.before.ended || pod.last.contains(key) || before == health_before_.end()) continue;
      const bool counts = Now(key).counts;
      const Health health = counts ? before->second : Health::kUnknown;
      pod.last[key] = {health, counts, health == Health::kUnhealthy};
    }
  }
  if (seen_running) {
    // Where it says what an earlier agent said, nobody knows.
    pod.sure = !said || std::ranges::any_of(pod.held, [this](const DeviceKey& key) {
      return present_.offered(key) && present_.health_of(key).has_value();
    });
  } else if (said) {
    const bool stored = said == pod.before.condition || said == ConditionOf(pod.last);
    const bool all_said = now.boot >= pod.until && said == ConditionOf(pod.last);
    pod.left_alone = pod.last.empty() || !stored || all_said;
  }
  if (!seen_running && now.boot >= pod.until) return;
  for (const DeviceKey& key : pod.held) Take(pod, key, false);
}

void EndedPods::ClaimAnswered(const std::string& uid, const std::string& claim) {
  const auto found = pods_.find(uid);
  if (found != pods_.end()) found->second.pending.erase(claim);
}

void EndedPods::ClaimRead(const std::string& uid, const std::string& claim,
                          const std::vector<DeviceKey>& keys, bool own, BootTime now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Known& pod = found->second;
  if (!pod.claims.insert(claim).second) return;
  pod.sure &= own;
  for (const DeviceKey& key : keys) {
    pod.held.insert(key);
    if (pod.ended && now < pod.until) Take(pod, key, HasNewOwner(key, uid));
    if (pod.ended && now >= pod.until && !pod.last.contains(key)) pod.sure = false;  // too late
    if (pod.before.held.contains({claim, key})) continue;
    for (auto& [other, former] : pods_) {
      const auto last = former.last.find(key);
      if (other == uid || last == former.last.end() || now >= former.until || pod.ended) continue;
      last->second.closed |= former.held.contains(key);
    }
  }
}

void EndedPods::Reported(const DeviceKey& key, Health health, BootTime now) {
  for (auto& [uid, pod] : pods_) {
    const auto last = pod.last.find(key);
    if (last == pod.last.end() || last->second.closed || now >= pod.until) continue;
    if (pod.held.contains(key)) Hold(pod, key, {health, true, false});
  }
}

// A pod whose claims nobody has seen may be the new owner.
void EndedPods::Settle() {
  for (const auto& [uid, pod] : pods_) {
    if (!pod.ended && !pod.pending.empty()) return;
  }
  for (auto& [uid, pod] : pods_) {
    for (const auto& [key, late] : pod.late) {
      if (!pod.last.at(key).closed) pod.last.at(key) = late;
    }
    pod.late.clear();
  }
}

void EndedPods::Take(Known& pod, const DeviceKey& key, bool owned) {
  if (pod.left_alone) return;
  pod.sure &= present_.known(key);
  const auto [found, added] = pod.last.try_emplace(key);
  Device& last = found->second;
  if (added) {
    last = owned ? Device{.counts = false} : Now(key);
    last.closed = owned || last.health == Health::kUnhealthy;
  } else if (!last.closed) {
    last.closed = owned;
    if (owned || !present_.offered(key) || present_.silent(key)) return;
    Hold(pod, key, Now(key));
  }
}

void EndedPods::Hold(Known& pod, const DeviceKey& key, Device device) {
  Device& late = pod.late[key];
  if (late.closed) return;
  late = device;
  late.closed = late.health == Health::kUnhealthy;
}

std::optional<Health> EndedPods::ConditionOf(const std::map<DeviceKey, Device>& devices) {
  std::optional<Health> worst;
  for (const auto& [key, device] : devices) {
    if (device.counts && (!worst || IsWorse(device.health, *worst))) worst = device.health;
  }
  return worst;
}

EndedPods::Device EndedPods::Now(const DeviceKey& key) const {
  const bool offered = present_.offered(key);
  return {offered ? present_.health_of(key).value_or(Health::kUnknown) : Health::kUnknown, offered,
          false};
}

bool EndedPods::HasNewOwner(const DeviceKey& key, const std::string& former_owner) const {
  return std::ranges::any_of(pods_, [&](const auto& other) {
    const auto& [uid, pod] = other;
    return uid != former_owner && !pod.ended && pod.held.contains(key);
  });
}

bool EndedPods::Contains(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found != pods_.end() && found->second.ended;
}

}  // namespace dra_health

#include "reconciler/pod_claims.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace dra_health {
namespace {

// A claim that is not there or not allocated yet: soon at first, then at a pace that costs nothing.
constexpr BackoffLimits kClaimRetry{std::chrono::milliseconds{500},
                                    std::chrono::milliseconds{60'000}};

// A claim that is made with its pod can be missing for a moment.
constexpr int kFailuresToTell = 3;

}  // namespace

void PodClaims::Restore(std::span<const AllocationRecord> allocations) {
  std::map<std::string, Claim> claims;
  for (const AllocationRecord& record : allocations) {
    links_[record.pod_claim] = record.claim;
    claims[record.claim].results.push_back({record.request, record.key, record.share_id});
  }
  for (auto& [name, claim] : claims) {
    const auto reading =
        readings_.try_emplace(name, Reading{.backoff = Backoff(kClaimRetry, seed_)}).first;
    if (reading->second.claim) continue;
    claim.name = name;
    claim.allocated = true;
    reading->second.claim = std::make_shared<const Claim>(std::move(claim));
    reading->second.answered = true;
    reading->second.due.reset();
  }
}

void PodClaims::Learn(const Pod& pod) {
  LearnClaimLinks(pod, links_);
  for (const auto& [pod_claim, name] : links_) {
    readings_.try_emplace(name, Reading{.backoff = Backoff(kClaimRetry, seed_)});
  }
}

std::vector<std::string> PodClaims::TakeDue(BootTime now) {
  std::vector<std::string> names;
  for (auto& [name, reading] : readings_) {
    if (!reading.due || *reading.due > now) continue;
    reading.due.reset();
    names.push_back(name);
  }
  return names;
}

BootTime PodClaims::NextDeadline() const {
  BootTime next = BootTime::max();
  for (const Reading& reading : readings_ | std::views::values) {
    if (reading.due) next = std::min(next, *reading.due);
  }
  return next;
}

bool PodClaims::Answer(const std::string& name, const Result<std::shared_ptr<const Claim>>& answer,
                       BootTime now) {
  const auto found = readings_.find(name);
  if (found == readings_.end() || found->second.claim) return false;
  Reading& reading = found->second;
  // A failure that may pass tells nothing: on half of its claims a pod could look healthy, or bare.
  reading.answered |= answer.has_value() || answer.error().kind == ErrorKind::kItem;
  if (answer && (*answer)->allocated) {
    reading.claim = *answer;
    reading.due.reset();
    return true;
  }
  reading.due = now + reading.backoff.Next();
  return false;
}

bool PodClaims::ShouldTell(const std::string& name) {
  const auto found = readings_.find(name);
  if (found == readings_.end() || found->second.backoff.attempts() < kFailuresToTell) return false;
  return !std::exchange(found->second.told, true);
}

bool PodClaims::answered() const {
  return std::ranges::all_of(readings_ | std::views::values, &Reading::answered);
}

const Claim* PodClaims::Find(const std::string& pod_claim) const {
  const auto link = links_.find(pod_claim);
  if (link == links_.end()) return nullptr;
  const auto reading = readings_.find(link->second);
  return reading == readings_.end() ? nullptr : reading->second.claim.get();
}

}  // namespace dra_health

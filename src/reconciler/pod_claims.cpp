#include "reconciler/pod_claims.h"

#include <algorithm>
#include <ranges>

namespace dra_health {
namespace {

// A claim that is not there or not allocated yet: soon at first, then at a pace that costs nothing.
constexpr BackoffLimits kClaimRetry{std::chrono::milliseconds{500},
                                    std::chrono::milliseconds{60'000}};

}  // namespace

void PodClaims::Learn(const Pod& pod) {
  LearnClaimLinks(pod, links_);
  for (const auto& [pod_claim, name] : links_) {
    readings_.try_emplace(name, Reading{nullptr, false, BootTime{}, Backoff(kClaimRetry, seed_)});
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
  reading.answered = true;
  if (answer && (*answer)->allocated) {
    reading.claim = *answer;
    reading.due.reset();
    return true;
  }
  reading.due = now + reading.backoff.Next();
  return false;
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

#include "reconciler/held_pods.h"

#include <algorithm>

namespace dra_health {

bool HeldPods::Ask(const std::string& uid, bool healthy) {
  if (!Allowed(healthy)) {
    Remove(uid);
    return false;
  }
  if (held_.contains(uid) || held_.size() < settings_.max_held_pods) {
    const auto held = held_.find(uid);
    const bool recovered = healthy && held != held_.end() && !held->second;
    Hold(uid, healthy);
    // Its place may be somebody's who needs it more.
    if (recovered || held_.size() < settings_.max_held_pods) LetNextIn();
    return true;
  }
  if (!healthy && !held_healthy_.empty()) {
    const std::string other = *held_healthy_.begin();
    held_healthy_.erase(other);
    held_.erase(other);
    waiting_[other] = true;
    changed_.push_back(other);
    Hold(uid, healthy);
    return true;
  }
  waiting_[uid] = healthy;
  return false;
}

void HeldPods::Remove(const std::string& uid) {
  waiting_.erase(uid);
  held_healthy_.erase(uid);
  held_.erase(uid);
  if (held_.size() < settings_.max_held_pods) LetNextIn();
}

bool HeldPods::Allowed(bool healthy) const {
  return settings_.hold == HoldPods::kAll || (settings_.hold == HoldPods::kNotHealthy && !healthy);
}

void HeldPods::Hold(const std::string& uid, bool healthy) {
  waiting_.erase(uid);
  held_[uid] = healthy;
  if (healthy) {
    held_healthy_.insert(uid);
  } else {
    held_healthy_.erase(uid);
  }
}

void HeldPods::LetNextIn() {
  const auto next = std::ranges::find(waiting_, false, [](const auto& pod) { return pod.second; });
  if (next != waiting_.end()) {
    changed_.push_back(next->first);
  } else if (!waiting_.empty()) {
    changed_.push_back(waiting_.begin()->first);
  }
}

}  // namespace dra_health

#include "reconciler/lasting_differences.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dra_health {
namespace {

// A kubelet on a busy node writes a burst of 100 pods within two seconds.
constexpr std::chrono::seconds kLasts{5};

}  // namespace

std::optional<std::vector<std::pair<FieldDifference, WallTime>>> LastingDifferences::Update(
    std::vector<FieldDifference> differences, Moment now) {
  wake_at_ = BootTime::max();
  bool changed = false;
  std::map<Key, Seen> present;
  for (FieldDifference& difference : differences) {
    Key key{difference.container, difference.entry, difference.resource_id};
    Seen seen{std::move(difference), now};
    if (const auto before = seen_.find(key); before != seen_.end()) {
      const FieldDifference& old = before->second.difference;
      if (old.ours == seen.difference.ours && old.theirs == seen.difference.theirs) {
        seen.since = before->second.since;
        seen.lasting = before->second.lasting;
        changed |= seen.lasting && old != seen.difference;
      }
    }
    if (!seen.lasting) {
      const BootTime lasts = seen.since.boot + kLasts;
      seen.lasting = now.boot >= lasts;
      changed |= seen.lasting;
      if (!seen.lasting) wake_at_ = std::min(wake_at_, lasts);
    }
    present.emplace(std::move(key), std::move(seen));
  }
  seen_ = std::move(present);
  std::vector<std::pair<FieldDifference, WallTime>> all;
  for (const auto& [key, seen] : seen_) {
    if (seen.lasting) all.emplace_back(seen.difference, seen.since.wall);
  }
  changed |= all.size() != told_;
  told_ = all.size();
  if (!changed) return std::nullopt;
  return all;
}

}  // namespace dra_health

#include "reconciler/container_runs.h"

#include <algorithm>

namespace dra_health {
namespace {

// A status tells of two, and may tell of the older one again after the newer one was lost.
constexpr std::ptrdiff_t kKeptRuns = 3;

bool IsSameRun(const ContainerRun& known, const ContainerRun& told) {
  if (known.started != told.started) return false;
  return known.ended == told.ended || (known.started && !known.ended);
}

ContainerKind KindOf(const Pod& pod, const std::string& name) {
  const auto container = std::ranges::find(pod.containers, name, &Container::name);
  return container == pod.containers.end() ? ContainerKind::kContainer : container->kind;
}

}  // namespace

void ContainerRuns::Learn(const Pod& pod, std::vector<StoreWrite>& writes) {
  for (const ContainerStatus& status : pod.statuses) {
    for (const ContainerRun& run : status.runs) Learn(pod, status.name, run, writes);
    if (!status.runs.empty()) DropOld(status.name);
  }
}

void ContainerRuns::Learn(const Pod& pod, const std::string& container, ContainerRun run,
                          std::vector<StoreWrite>& writes) {
  const Place known = Find(container, run);
  if (known == written_.end()) {
    writes.emplace_back(
        written_.emplace_back(ContainerRecord{pod.uid, container, KindOf(pod, container), run}));
    return;
  }
  if (IsSameRun(known->run, run)) run.restart = std::min(run.restart, known->run.restart);
  if (known->run == run) return;
  known->run = run;
  writes.emplace_back(*known);
}

ContainerRuns::Place ContainerRuns::Find(const std::string& container, const ContainerRun& run) {
  const auto same = std::ranges::find_if(written_, [&](const ContainerRecord& record) {
    return record.container == container && IsSameRun(record.run, run);
  });
  if (same != written_.end()) return same;
  return std::ranges::find_if(written_, [&](const ContainerRecord& record) {
    return record.container == container && record.run.restart == run.restart;
  });
}

void ContainerRuns::DropOld(const std::string& container) {
  if (std::ranges::count(written_, container, &ContainerRecord::container) <= kKeptRuns) return;
  Place oldest = written_.end();
  for (Place it = written_.begin(); it != written_.end(); ++it) {
    if (it->container != container) continue;
    if (oldest == written_.end() || it->run.restart < oldest->run.restart) oldest = it;
  }
  written_.erase(oldest);
}

}  // namespace dra_health

#include "reconciler/container_runs.h"

#include <algorithm>

namespace dra_health {

void ContainerRuns::Learn(const Pod& pod, std::vector<StoreWrite>& writes) {
  for (const ContainerStatus& status : pod.statuses) {
    if (status.runs.empty()) continue;
    for (const ContainerRun& run : status.runs) Learn(pod, status, run, writes);
    std::erase_if(written_, [&](const ContainerRecord& record) {
      return record.container == status.name && record.run.restart < status.runs.front().restart;
    });
  }
}

void ContainerRuns::Learn(const Pod& pod, const ContainerStatus& status, const ContainerRun& run,
                          std::vector<StoreWrite>& writes) {
  auto known = std::ranges::find_if(written_, [&](const ContainerRecord& record) {
    return record.container == status.name && record.run.restart == run.restart;
  });
  if (known != written_.end() && known->run == run) return;
  if (known == written_.end()) {
    const auto container = std::ranges::find(pod.containers, status.name, &Container::name);
    const auto kind =
        container == pod.containers.end() ? ContainerKind::kContainer : container->kind;
    known = written_.insert(known, {pod.uid, status.name, kind, run});
  } else {
    known->run = run;
  }
  writes.emplace_back(*known);
}

}  // namespace dra_health

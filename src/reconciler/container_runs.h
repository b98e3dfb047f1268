#pragma once

#include <utility>
#include <vector>

#include "model/pod.h"
#include "model/record.h"

namespace dra_health {

// What is written down of the runs of a pod's containers: each is written when it is new or has
// changed, not with every event of the pod. Keeps those that the pod's status still tells of.
//
// Pure; one thread.
class ContainerRuns {
 public:
  // What an earlier agent has written.
  void Restore(std::vector<ContainerRecord> written) { written_ = std::move(written); }

  void Learn(const Pod& pod, std::vector<StoreWrite>& writes);

 private:
  void Learn(const Pod& pod, const ContainerStatus& status, const ContainerRun& run,
             std::vector<StoreWrite>& writes);

  std::vector<ContainerRecord> written_;
};

}  // namespace dra_health

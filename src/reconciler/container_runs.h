#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/pod.h"
#include "model/record.h"

namespace dra_health {

// What is written down of the runs of a pod's containers: each is written when it is new or has
// changed, not with every event of the pod. Keeps the last few of each container.
//
// A run is known by when it started, since its number can be told wrong: while a container waits,
// restartCount may be that of its last run or of the one to come. The lower number is right.
//
// Pure; one thread.
class ContainerRuns {
 public:
  // What an earlier agent has written.
  void Restore(std::vector<ContainerRecord> written) { written_ = std::move(written); }

  void Learn(const Pod& pod, std::vector<StoreWrite>& writes);

 private:
  using Place = std::vector<ContainerRecord>::iterator;

  void Learn(const Pod& pod, const std::string& container, ContainerRun run,
             std::vector<StoreWrite>& writes);
  Place Find(const std::string& container, const ContainerRun& run);
  void DropOld(const std::string& container);

  std::vector<ContainerRecord> written_;
};

}  // namespace dra_health

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "explain/device_health.h"
#include "explain/explanation.h"
#include "explain/lanes.h"
#include "model/record.h"

namespace dra_health {

// Gathers the moments of a time line, leaves out those outside of its frame and orders them.
class Moments {
 public:
  explicit Moments(const TimeFrame& frame) : frame_(frame) {}

  void Add(TimelineMoment moment);
  void AddTransition(const Transition& transition);
  void AddRun(const std::string& subject, const ContainerRun& run);
  void AddAway(const Away& away);

  // At the same time, what was is told before what came: in the order of MomentKind.
  std::vector<TimelineMoment> Take();

 private:
  TimeFrame frame_;
  // Equal ones stay in the order in which they were added.
  std::multimap<std::pair<WallTime, MomentKind>, TimelineMoment> moments_;
};

}  // namespace dra_health

#pragma once

#include "cache/history.h"
#include "explain/explanation.h"

namespace dra_health {

// What happened to a pod: which devices its containers held, how those were, when its containers
// started and ended, and how the one stood to the other in time. Pure.
Explanation ExplainPod(const PodHistory& history, WallTime now);

}  // namespace dra_health

#pragma once

#include "cache/history.h"
#include "explain/explanation.h"

namespace dra_health {

// What happened to a device: every change of its health, every pod that held it and how that pod's
// containers ended. Pure.
Explanation ExplainDevice(const DeviceHistory& history, WallTime now);

}  // namespace dra_health

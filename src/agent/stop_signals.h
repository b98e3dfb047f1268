#pragma once

#include "base/unique_fd.h"

namespace dra_health {

// From here on SIGTERM, SIGINT and SIGHUP wait, for CatchStopSignals. The first thing a program
// does that must stop in order.
void BlockStopSignals();

// Blocks SIGTERM, SIGINT and SIGHUP for the process and returns a descriptor that becomes readable
// when one arrives: no handler ever runs, and PID 1 in a container stops when it is told to.
// Ignores SIGPIPE and SIGXFSZ. REQUIRES: called before any thread is started, so that all of them
// inherit the mask.
UniqueFd CatchStopSignals();

}  // namespace dra_health

#pragma once

#include <chrono>
#include <string>

#include "cli/exit_codes.h"
#include "observe/options.h"

namespace dra_health {

struct ProbeResult {
  ExitCode code = kExitNoAnswer;
  std::string text;  // the agent's answer, or why there is none
};

// Asks the agent that listens as `options` say for /healthz or, with `ready`, /readyz. Blocks for
// at most about five seconds. The certificate is not checked, as the kubelet does not check it when
// it probes: nothing secret is sent, and it is the agent of this machine or another program.
// REQUIRES: the address is not off.
ProbeResult ProbeAgent(const ObserveOptions& options, bool ready);

}  // namespace dra_health

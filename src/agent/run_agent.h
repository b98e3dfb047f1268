#pragma once

#include "agent/options.h"

namespace dra_health {

enum class AgentEnd {
  kStopped,           // by a signal, as asked
  kBadConfiguration,  // credentials, an address to listen on or a certificate that cannot be used
  kStoreLocked,       // another agent holds the store, or the path cannot be one
};

// The whole life of the agent as a process of its own: signals, start, loop, stop.
// REQUIRES: no thread was started before. Ends the process with 1 when its stop did not complete,
// because what a hanging library still holds cannot be freed safely.
AgentEnd RunAgent(const AgentOptions& options);

}  // namespace dra_health

#pragma once

#include <string>
#include <vector>

#include "observe/health_board.h"
#include "observe/page.h"

namespace dra_health {

// The answer to a probe, in the form of Kubernetes' own: "ok", or where something is wrong, and on
// ?verbose, a line for each check and "readyz check passed" or "readyz check failed". `name` is
// "healthz" or "readyz".
Page HealthPage(const std::string& name, const std::vector<Check>& checks, bool verbose);

// Whether a body is such an answer, or that of another program that listens there. `name` as above.
bool IsHealthPage(const std::string& name, const std::string& body);

}  // namespace dra_health

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api_server/json.h"
#include "sim/api_server/status_answer.h"

namespace dra_health::sim {

// What keeps a status from being decoded as a PodStatus, or none. Checks the members that the rest
// reads: after it they have the types the API gives them.
std::optional<std::string> UndecodableStatus(const Json& status);

// The rules for allocatedResourcesStatus and conditions of kubernetes' pkg/apis/core/validation
// (1.37.2). REQUIRES: UndecodableStatus found nothing.
std::vector<Cause> ValidatePodStatus(const Json& pod);

}  // namespace dra_health::sim

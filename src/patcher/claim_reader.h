#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "model/claim.h"

namespace dra_health {

// Reads a resource.k8s.io/v1 ResourceClaim as JSON; the rules of pod_reader.h hold.
Result<std::shared_ptr<const Claim>> ReadClaimText(std::string_view text);

}  // namespace dra_health

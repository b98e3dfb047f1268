#pragma once

#include <memory>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "model/pod.h"

namespace dra_health {

// Readers of core/v1 Pod as JSON. Pure; unknown fields are ignored; what cannot be read is an error
// of kind kItem that names the field. Never throws.
Result<std::shared_ptr<const Pod>> ReadPod(const nlohmann::json& pod);
Result<std::shared_ptr<const Pod>> ReadPodText(std::string_view text);

}  // namespace dra_health

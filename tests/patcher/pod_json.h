#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "model/pod.h"

namespace dra_health {

// A pod as an API server sends it: one container "main" with claim "gpu", three conditions.
nlohmann::json SamplePod();

// {"name": "claim:gpu", "resources": [{"resourceID": id, "health": health}]}
nlohmann::json Entry(const std::string& name, const std::string& id, const std::string& health);

// As read by the product; fails the test when it cannot be read.
std::shared_ptr<const Pod> Read(const nlohmann::json& pod);

// What a server makes of the patch; a failed `test` throws nlohmann::json::exception.
nlohmann::json Apply(const nlohmann::json& pod, const std::string& patch);

}  // namespace dra_health

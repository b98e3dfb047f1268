#pragma once

#include <string>

namespace dra_health {

// The same document as block style YAML, as kubectl prints it. REQUIRES: `json` is valid.
std::string JsonToYaml(const std::string& json);

}  // namespace dra_health

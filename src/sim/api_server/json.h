#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace dra_health::sim {

using Json = nlohmann::json;
using ObjectPtr = std::shared_ptr<const Json>;

// The member, or null where it is missing or `object` is none. Never throws.
const Json& Member(const Json& object, std::string_view key);
// The member's text, or "" where it is no string.
std::string Text(const Json& object, std::string_view key);
// metadata.<key> as text.
std::string MetadataText(const Json& object, std::string_view key);

}  // namespace dra_health::sim

#pragma once

#include <string>

#include "explain/explanation.h"

namespace dra_health {

// As the store's records in cache_json.h: camelCase, times in RFC 3339 with milliseconds, indented,
// ending in a newline.
std::string ToJson(const Explanation& explanation);

}  // namespace dra_health

#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace dra_health {

// RFC 3339: a date, a time of day, optionally fractions of a second (cut to milliseconds), and Z or
// an offset. Nothing else, no time that does not exist.
std::optional<WallTime> ParseRfc3339(std::string_view text);

}  // namespace dra_health

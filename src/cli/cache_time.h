#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace dra_health {

// RFC 3339: a date, a time of day, optionally fractions of a second (cut to milliseconds), and Z or
// an offset. Nothing else, no time that does not exist.
std::optional<WallTime> ParseRfc3339(std::string_view text);

// How long ago, for people: "5s", "12m", "30h", "9d". What is yet to come is "0s".
std::string FormatAge(WallTime then, WallTime now);

}  // namespace dra_health

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace dra_health {

// A duration as Go writes it: decimal numbers with units, largest first or not: "500ms", "1h30m",
// "1.5s". Units: h, m, s, ms, us, ns. A bare "0" is allowed, other bare numbers and signs are not.
// The error says what is wrong with the text.
tl::expected<std::chrono::nanoseconds, std::string> ParseDuration(std::string_view text);

// The canonical form, which parses back to the same value: "168h", "1h30m", "1s500ms", "0s".
// REQUIRES: not negative.
std::string FormatDuration(std::chrono::nanoseconds duration);

}  // namespace dra_health

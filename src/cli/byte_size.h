#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace dra_health {

// A whole number of bytes with an optional binary unit: "512", "64KiB", "16MiB", "1GiB".
tl::expected<std::size_t, std::string> ParseByteSize(std::string_view text);

// In the largest unit that keeps it a whole number; parses back to the same value.
std::string FormatByteSize(std::size_t bytes);

}  // namespace dra_health

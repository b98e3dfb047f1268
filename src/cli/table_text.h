#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dra_health {

// Columns of a terminal that `text` takes: two for wide characters, none for combining ones.
// REQUIRES: valid UTF-8 without control characters (base/text.h: Printable).
std::size_t DisplayWidth(std::string_view text);

// At most `width` columns of it, the last one an ellipsis where something was cut off.
std::string CutToWidth(std::string_view text, std::size_t width);

}  // namespace dra_health

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dra_health {

// The one of `words` that `typed` was probably meant to be, "" if none is near: for "did you mean".
std::string Nearest(std::string_view typed, std::span<const std::string> words);

}  // namespace dra_health

#pragma once

#include <string>

#include "explain/explanation.h"

namespace dra_health {

// A page that stands alone: one file without external resources, which is well-formed XML too. Its
// times are UTC; its script adds them in the zone of the reader.
std::string ToHtml(const Explanation& explanation);

}  // namespace dra_health

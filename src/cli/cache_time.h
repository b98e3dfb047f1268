#pragma once

#include <string>

#include "base/clock.h"

namespace dra_health {

// How long ago, for people: "5s", "12m", "30h", "9d". What is yet to come is "0s".
std::string FormatAge(WallTime then, WallTime now);

}  // namespace dra_health

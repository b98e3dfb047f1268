#pragma once

#include <random>
#include <string>

#include "model/settings.h"

namespace dra_health {

// Settings as some operator might choose them.
Settings SomeSettings(std::mt19937_64& random);

std::string DescribeHabits(const Settings& settings);

}  // namespace dra_health

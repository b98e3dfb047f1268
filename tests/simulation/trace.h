#pragma once

#include <string>

#include "model/effect.h"
#include "model/event.h"

namespace dra_health {

// One line each, for people who look at a failing run.
std::string Describe(const Event& event);
std::string Describe(const Effect& effect);

}  // namespace dra_health

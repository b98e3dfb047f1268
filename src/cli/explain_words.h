#pragma once

#include <string_view>

#include "explain/explanation.h"

namespace dra_health {

// What people read, in text and on the page alike.
std::string_view WordsFor(MomentKind kind);  // "pod deleted"
std::string_view WordsFor(SpanState state);  // "ended, code not 0"

}  // namespace dra_health

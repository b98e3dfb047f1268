#pragma once

#include <iosfwd>

namespace dra_health::demo {

// Plays the demo and tells it on `out`. Returns whether every pod said what it should when it
// should and the store remembered exactly what happened. Takes about half a minute.
bool TellStory(std::ostream& out);

}  // namespace dra_health::demo

#pragma once

#include <filesystem>
#include <iosfwd>

namespace dra_health::demo {

// Plays the demo in `folder`, which is empty, and tells it on `out`. Returns whether every pod said
// what it should when it should and the store remembered exactly what happened. Takes about half a
// minute.
bool TellStory(const std::filesystem::path& folder, std::ostream& out);

}  // namespace dra_health::demo

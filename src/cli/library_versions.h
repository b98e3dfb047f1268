#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dra_health {

// Name and version of each library: of the one loaded where it can say so, else of the one the
// program was built with.
std::vector<std::pair<std::string, std::string>> LibraryVersions();

}  // namespace dra_health

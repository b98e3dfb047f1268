#pragma once

#include <filesystem>

#include "cli/run_options.h"

namespace dra_health {

// Lays what the YAML file says over `options`. Returns every mistake in it as
// "FILE:LINE: key 'x': what is wrong; allowed: ...". REQUIRES: no other thread needs `options`.
Problems ApplyConfigFile(const std::filesystem::path& path, RunOptions& options);

}  // namespace dra_health

#pragma once

#include <string>
#include <string_view>

#include <spdlog/common.h>

namespace dra_health {

// Sets up the process's default spdlog logger on standard error. Callers then use spdlog::info and
// friends from any thread. `format` is "text" or "json" (one object a line, for log collectors).
// A pipe or socket that nobody reads holds nothing up: see StderrSink.
// REQUIRES: called once, before any thread starts.
void SetUpLogging(spdlog::level::level_enum level, std::string_view format);

}  // namespace dra_health

#pragma once

#include <iosfwd>

#include "base/clock.h"
#include "cli/cache_request.h"
#include "cli/exit_codes.h"
#include "cli/table_terminal.h"

namespace dra_health {

struct CacheOutput {
  std::ostream& out;
  std::ostream& err;
  Terminal terminal;
  WallTime now;
};

// Reads the store and prints what was asked for. kExitOk also where nothing was found, which `err`
// then says; kExitStoreUnreadable; kExitFailure where `out` does not take the output.
ExitCode ReportCache(const CacheRequest& request, const CacheOutput& output);

}  // namespace dra_health

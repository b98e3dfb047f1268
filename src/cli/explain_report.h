#pragma once

#include "cli/cache_report.h"
#include "cli/exit_codes.h"
#include "cli/explain_request.h"

namespace dra_health {

// Reads the store and prints the explanation. kExitNotFound where the store knows no such pod or
// device, kExitUsage where the name fits several devices; `err` then says what to do.
// kExitStoreUnreadable; kExitFailure where `out` does not take the output.
ExitCode ReportExplanation(const ExplainRequest& request, const CacheOutput& output);

}  // namespace dra_health

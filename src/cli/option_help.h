#pragma once

#include <string>

#include "cli/run_options.h"
#include "cli/setting.h"

namespace dra_health {

// What `run --help` says beside a flag: meaning, limits, default, environment variable.
std::string HelpText(const Setting<RunOptions>& setting);

// The tables of options, driver keys and exit codes as docs/reference.md has them, in Markdown.
std::string ReferenceTables();

}  // namespace dra_health

#pragma once

#include <string>
#include <vector>

#include "cli/run_options.h"
#include "cli/setting.h"
#include "model/settings.h"

namespace dra_health {

struct OptionGroup {
  std::string heading;
  std::vector<Setting<RunOptions>> settings;
};

// All options of `run`, in the order in which the help shows them.
const std::vector<OptionGroup>& RunOptionTable();

// What the configuration file may say about one driver, below `drivers:` and its name.
const std::vector<Setting<DriverSettings>>& DriverOptionTable();

// What the names below `drivers:` may be.
const Kind<std::string>& DriverNameKind();

}  // namespace dra_health

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/health_probe.h"
#include "cli/option_help.h"
#include "cli/option_table.h"
#include "cli/run_options.h"

namespace dra_health {
namespace {

constexpr const char* kExitCodesText =
    "Exit codes: 0 healthy, or ready; 5 the agent says that it is not; 6 no agent answers;\n"
    "2 wrong usage or configuration, or the agent listens nowhere.";

struct Arguments {
  FlagValues flags;
  bool ready = false;
};

// Where the agent listens is found out as the agent does: the same flag, environment and file.
void AddAddressFlags(CLI::App& command, Arguments& arguments) {
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      if (setting.name != "config" && setting.name != "listen-address") continue;
      const auto keep = [&arguments, name = setting.name](const std::string& text) {
        arguments.flags[name] = text;
      };
      command.add_option_function<std::string>(FlagName(setting.name), keep)
          ->type_name(setting.kind)
          ->description(HelpText(setting));
    }
  }
}

int Ask(const Arguments& arguments) {
  const auto options = ResolveObserveOptions(arguments.flags, ProcessEnvironment);
  if (!options) {
    for (const std::string& problem : options.error()) std::cerr << Printable(problem) << '\n';
    return kExitUsage;
  }
  if (options->address.off()) {
    std::cerr << "--listen-address is off: the agent cannot be asked\n";
    return kExitUsage;
  }
  const ProbeResult result = ProbeAgent(*options, arguments.ready);
  if (result.code == kExitNoAnswer) {
    std::cerr << Printable(result.text) << '\n';
  } else {
    std::cout << result.text;
  }
  return result.code;
}

}  // namespace

void AddHealthCommand(CLI::App& app, int& exit_code) {
  CLI::App* const command =
      app.add_subcommand("health", "Ask the agent of this machine whether it is healthy");
  const auto arguments = std::make_shared<Arguments>();
  AddAddressFlags(*command, *arguments);
  command->add_flag("--ready", arguments->ready, "Ask whether it is ready instead");
  command->footer(kExitCodesText);
  command->callback([arguments, &exit_code] { exit_code = Ask(*arguments); });
}

}  // namespace dra_health

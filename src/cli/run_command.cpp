#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "agent/run_agent.h"
#include "agent/stop_signals.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/nearest.h"
#include "cli/option_help.h"
#include "cli/option_table.h"
#include "cli/run_options.h"

namespace dra_health {
namespace {

// CLI11 only collects texts: one table checks them, wherever they come from (run_options.h).
using FlagOptions = std::vector<std::pair<std::string, CLI::Option*>>;

FlagOptions AddFlags(CLI::App& run) {
  FlagOptions flags;
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      const std::string flag = FlagName(setting.name);
      auto* const option = setting.kind == "BOOL" ? run.add_flag(flag)
                                                  : run.add_option(flag)->type_name(setting.kind);
      option->description(HelpText(setting))->group(group.heading);
      flags.emplace_back(setting.name, option);
    }
  }
  return flags;
}

FlagValues Given(const FlagOptions& flags) {
  FlagValues given;
  for (const auto& [name, option] : flags) {
    if (option->count() > 0) given[name] = option->results().back();
  }
  return given;
}

// The argument that nobody knows, with the flag that was probably meant.
std::string Unexpected(const std::string& argument, const FlagOptions& flags) {
  std::vector<std::string> known;
  for (const auto& [name, option] : flags) known.push_back(FlagName(name));
  const std::string meant =
      argument.starts_with("--") ? Nearest(argument.substr(0, argument.find('=')), known) : "";
  return argument + ": is unknown" + (meant.empty() ? "" : ", did you mean '" + meant + "'?") +
         "; allowed: see run --help";
}

// Problems quote what they found, which may hold anything.
int Complain(const Problems& problems) {
  for (const std::string& problem : problems) std::cerr << Printable(problem) << '\n';
  return kExitUsage;
}

int Run(const FlagValues& given) {
  BlockStopSignals();
  const auto options = ResolveRunOptions(given, ProcessEnvironment);
  if (!options) return Complain(options.error());
  SetUpLogging(options->log_level, options->log_format);
  switch (RunAgent(options->agent)) {
    case AgentEnd::kStopped:
      return kExitOk;
    case AgentEnd::kBadConfiguration:
      return kExitUsage;
    case AgentEnd::kStoreLocked:
      return kExitStoreLocked;
  }
  return kExitFailure;
}

}  // namespace

void AddRunCommand(CLI::App& app, int& exit_code) {
  CLI::App* const run = app.add_subcommand("run", "Run the agent beside a kubelet");
  const FlagOptions flags = AddFlags(*run);
  const auto* const markdown = run->add_flag("--help-markdown")->group("");  // hidden
  run->allow_extras();  // so that they can be answered with a suggestion
  run->callback([=, &exit_code] {
    if (markdown->count() > 0) {
      std::cout << ReferenceTables();
    } else if (const auto extras = run->remaining(); !extras.empty()) {
      exit_code = Complain({Unexpected(extras.front(), flags)});
    } else {
      exit_code = Run(Given(flags));
    }
  });
}

}  // namespace dra_health

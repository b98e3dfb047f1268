#include "cli/commands.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <iostream>

#include "cli/exit_codes.h"

namespace dra_health {
namespace {

int RunCommand(int argc, char** argv) {
  CLI::App app{"Reports the health of a node's DRA devices in the status of its pods"};
  app.name("dra-health-agent");
  app.require_subcommand(0, 1);  // none is answered below: CLI11 would hide a misspelt one
  int exit_code = kExitOk;
  AddRunCommand(app, exit_code);
  AddCacheCommand(app, exit_code);
  AddExplainCommand(app, exit_code);
  AddReleaseCommand(app, exit_code);
  AddHealthCommand(app, exit_code);
  AddDemoCommand(app, exit_code);
  AddVersionCommand(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has a code for each of its errors (and 0 for --help); ours are one.
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  } catch (const std::exception& error) {
    std::cerr << "dra-health-agent: " << error.what() << '\n';
    return kExitFailure;
  }
  if (app.get_subcommands().empty()) {
    std::cerr << app.help();
    return kExitUsage;
  }
  return exit_code;
}

}  // namespace

int Main(int argc, char** argv) {
  const int exit_code = RunCommand(argc, argv);
  if (exit_code != kExitOk || std::cout.flush()) return exit_code;
  std::cerr << "dra-health-agent: the output could not be written\n";
  return kExitFailure;
}

}  // namespace dra_health

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/demo_story.h"
#include "cli/exit_codes.h"
#include "patcher/http_threads.h"

namespace dra_health {

void AddDemoCommand(CLI::App& app, int& exit_code) {
  CLI::App* const demo = app.add_subcommand(
      "demo", "Show the agent at work on a simulated node, without cluster or root (about 30 s)");
  const auto* const verbose =
      demo->add_flag("--verbose")->description("Show the agent's own log as well");
  demo->callback([=, &exit_code] {
    SetUpLogging(verbose->count() > 0 ? spdlog::level::debug : spdlog::level::err, "text");
    StartHttpThreads();
    exit_code = demo::TellStory(std::cout) ? kExitOk : kExitFailure;
  });
}

}  // namespace dra_health

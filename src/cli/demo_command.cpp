#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

#include "agent/stop_signals.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/demo_story.h"
#include "cli/exit_codes.h"
#include "patcher/http_threads.h"

namespace dra_health {
namespace {

// Everything of the demo lives in one temporary folder, also what its parts put aside, and goes
// with it even when the demo is interrupted.
int Demo() {
  const UniqueFd stop = CatchStopSignals();
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  std::string folder = (parent / "dra-health-demo-XXXXXX").string();
  if (error || ::mkdtemp(folder.data()) == nullptr) {
    std::cerr << "cannot make a temporary folder like " << folder << "; TMPDIR says where\n";
    return kExitFailure;
  }
  ::setenv("TMPDIR", folder.c_str(), 1);
  const UniqueFd over(::eventfd(0, EFD_CLOEXEC));
  std::thread interrupt([&] {
    std::array<pollfd, 2> either{pollfd{stop.get(), POLLIN, 0}, pollfd{over.get(), POLLIN, 0}};
    ::poll(either.data(), either.size(), -1);
    std::filesystem::remove_all(folder, error);
    // The story is still being told: nothing of it can be ended in order from here.
    if ((either[0].revents & POLLIN) != 0) std::_Exit(kExitFailure);
  });
  StartHttpThreads();
  const bool well = demo::TellStory(folder, std::cout);
  ::eventfd_write(over.get(), 1);
  interrupt.join();
  return well ? kExitOk : kExitFailure;
}

}  // namespace

void AddDemoCommand(CLI::App& app, int& exit_code) {
  CLI::App* const demo = app.add_subcommand(
      "demo", "Show the agent at work on a simulated node, without cluster or root (about 30 s)");
  const auto* const verbose =
      demo->add_flag("--verbose")->description("Show the agent's own log as well");
  demo->callback([=, &exit_code] {
    SetUpLogging(verbose->count() > 0 ? spdlog::level::debug : spdlog::level::err, "text");
    exit_code = Demo();
  });
}

}  // namespace dra_health

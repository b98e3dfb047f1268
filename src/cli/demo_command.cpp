#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "agent/stop_signals.h"
#include "base/error.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/demo_story.h"
#include "cli/exit_codes.h"
#include "patcher/http_threads.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;

Result<std::string> MakeTemporaryFolder() {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "dra-health-demo-XXXXXX").string();
  if (!error && ::mkdtemp(folder.data()) != nullptr) return folder;
  return Fail(ErrorKind::kFatal,
              "cannot make a temporary folder like " + folder + "; TMPDIR says where");
}

Result<std::string> MakeFolder(const fs::path& wanted) {
  std::error_code error;
  fs::create_directories(wanted, error);
  if (!error && fs::is_empty(wanted, error)) {
    if (::access(wanted.c_str(), W_OK | X_OK) == 0) return fs::absolute(wanted).string();
    error = {errno, std::generic_category()};
  }
  return Fail(ErrorKind::kFatal,
              "--keep: cannot use '" + wanted.string() + "': " +
                  (error ? error.message() : "not empty; allowed: a new or an empty folder"));
}

// Everything of the demo lives in one folder, also what its parts put aside. A temporary one goes
// with it even when the demo is interrupted.
int Demo(const std::optional<std::string>& keep) {
  const UniqueFd stop = CatchStopSignals();
  const auto made = keep ? MakeFolder(*keep) : MakeTemporaryFolder();
  if (!made) {
    std::cerr << "dra-health-agent demo: " << made.error().message << '\n';
    return keep ? kExitUsage : kExitFailure;
  }
  const std::string& folder = *made;
  ::setenv("TMPDIR", folder.c_str(), 1);
  const UniqueFd over(::eventfd(0, EFD_CLOEXEC));
  std::thread interrupt([&] {
    std::array<pollfd, 2> either{pollfd{stop.get(), POLLIN, 0}, pollfd{over.get(), POLLIN, 0}};
    ::poll(either.data(), either.size(), -1);
    std::error_code ignored;
    if (!keep) fs::remove_all(folder, ignored);
    // The story is still being told: nothing of it can be ended in order from here.
    if ((either[0].revents & POLLIN) != 0) std::_Exit(kExitFailure);
  });
  StartHttpThreads();
  const bool well = demo::TellStory(folder, std::cout);
  ::eventfd_write(over.get(), 1);
  interrupt.join();
  const fs::path store = fs::path(folder) / "health.db";
  if (keep && fs::exists(store)) {
    std::cout << "its store is kept: dra-health-agent explain pod default/serve --store "
              << store.string() << '\n';
  }
  return well ? kExitOk : kExitFailure;
}

}  // namespace

void AddDemoCommand(CLI::App& app, int& exit_code) {
  CLI::App* const demo = app.add_subcommand(
      "demo", "Show the agent at work on a simulated node, without cluster or root (about 30 s)");
  const auto* const verbose =
      demo->add_flag("--verbose")->description("Show the agent's own log as well");
  const auto keep = std::make_shared<std::string>();
  demo->add_option("--keep", *keep, "Keep the agent's store, in this new or empty folder")
      ->type_name("FOLDER");
  demo->callback([=, &exit_code] {
    SetUpLogging(verbose->count() > 0 ? spdlog::level::debug : spdlog::level::err, "text");
    exit_code = Demo(keep->empty() ? std::nullopt : std::optional(*keep));
  });
}

}  // namespace dra_health

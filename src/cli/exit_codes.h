#pragma once

#include <array>
#include <string_view>

namespace dra_health {

// The exit codes of every subcommand. docs/reference.md lists them; a test compares.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,
  kExitUsage = 2,
  kExitStoreUnreadable = 3,
  kExitStoreLocked = 4,
  kExitUnhealthy = 5,
  kExitNoAnswer = 6,
  kExitNotFound = 7,
};

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};

inline constexpr std::array kExitCodes = {
    ExitCodeMeaning{kExitOk, "Done, or stopped by a signal as asked."},
    ExitCodeMeaning{kExitFailure, "Any other failure; the message says which."},
    ExitCodeMeaning{kExitUsage,
                    "Wrong usage or configuration. Nothing has been touched; standard error names "
                    "every mistake and what is allowed."},
    ExitCodeMeaning{kExitStoreUnreadable, "The store cannot be read."},
    ExitCodeMeaning{kExitStoreLocked,
                    "Another agent holds the store, or its path cannot be a store."},
    ExitCodeMeaning{kExitUnhealthy,
                    "`health`: the agent says that it is not healthy, or not ready; standard "
                    "output names the checks."},
    ExitCodeMeaning{kExitNoAnswer,
                    "`health`: no agent answers at the address; standard error says what "
                    "happened."},
    ExitCodeMeaning{kExitNotFound, "`explain`: the store knows no such pod or device."},
};

}  // namespace dra_health

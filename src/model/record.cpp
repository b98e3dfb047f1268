#include "model/record.h"

#include <array>
#include <utility>

#include "model/names.h"

namespace dra_health {
namespace {

using namespace std::string_view_literals;

constexpr std::array kDriverStateNames = {
    std::pair{DriverState::kConnecting, "Connecting"sv},
    std::pair{DriverState::kNoData, "NoData"sv},
    std::pair{DriverState::kStreaming, "Streaming"sv},
    std::pair{DriverState::kUnsupported, "Unsupported"sv},
    std::pair{DriverState::kOff, "Off"sv},
    std::pair{DriverState::kGone, "Gone"sv},
};

constexpr std::array kFieldStateNames = {
    std::pair{FieldState::kPending, "Pending"sv},
    std::pair{FieldState::kOwn, "Own"sv},
    std::pair{FieldState::kDeferred, "Deferred"sv},
    std::pair{FieldState::kContested, "Contested"sv},
    std::pair{FieldState::kDropped, "Dropped"sv},
    std::pair{FieldState::kNone, "None"sv},
};

}  // namespace

std::string_view ToString(DriverState state) { return NameOf(kDriverStateNames, state); }
std::optional<DriverState> ParseDriverState(std::string_view text) {
  return ValueOf<DriverState>(kDriverStateNames, text);
}

std::string_view ToString(FieldState state) { return NameOf(kFieldStateNames, state); }
std::optional<FieldState> ParseFieldState(std::string_view text) {
  return ValueOf<FieldState>(kFieldStateNames, text);
}

}  // namespace dra_health

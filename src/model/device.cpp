#include "model/device.h"

#include <array>
#include <utility>

#include "model/names.h"

namespace dra_health {
namespace {

using namespace std::string_view_literals;

constexpr std::array kHealthNames = {
    std::pair{Health::kUnknown, "Unknown"sv},
    std::pair{Health::kHealthy, "Healthy"sv},
    std::pair{Health::kUnhealthy, "Unhealthy"sv},
};

constexpr std::array kReasonNames = {
    std::pair{UnknownReason::kNone, ""sv},
    std::pair{UnknownReason::kNeverReported, "NeverReported"sv},
    std::pair{UnknownReason::kLeaseExpired, "LeaseExpired"sv},
    std::pair{UnknownReason::kDriverGone, "DriverGone"sv},
    std::pair{UnknownReason::kDriverSaysSo, "DriverSaysSo"sv},
    std::pair{UnknownReason::kNodeRebooted, "NodeRebooted"sv},
    std::pair{UnknownReason::kNotSupported, "NotSupported"sv},
};

int Badness(Health health) {
  if (health == Health::kUnhealthy) return 2;
  return health == Health::kUnknown ? 1 : 0;
}

}  // namespace

std::string ResourceId(const DeviceKey& key) {
  return key.driver + "/" + key.pool + "/" + key.device;
}

std::string_view ToString(Health health) { return NameOf(kHealthNames, health); }
std::optional<Health> ParseHealth(std::string_view text) {
  return ValueOf<Health>(kHealthNames, text);
}
bool IsWorse(Health a, Health b) { return Badness(a) > Badness(b); }

std::string_view ToString(UnknownReason reason) { return NameOf(kReasonNames, reason); }
std::optional<UnknownReason> ParseUnknownReason(std::string_view text) {
  return ValueOf<UnknownReason>(kReasonNames, text);
}

}  // namespace dra_health

#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace dra_health {

// A device's identity is the tuple; names may hold slashes, so a joined string is only for display.
struct DeviceKey {
  std::string driver;
  std::string pool;
  std::string device;

  auto operator<=>(const DeviceKey&) const = default;
};

// The documented form of a resourceID: driver/pool/device (KEP-4680).
std::string ResourceId(const DeviceKey& key);

enum class Health { kUnknown, kHealthy, kUnhealthy };

// The words of ResourceHealthStatus in core/v1: "Healthy", "Unhealthy", "Unknown".
std::string_view ToString(Health health);
std::optional<Health> ParseHealth(std::string_view text);

// Where two devices share one resourceID the worse wins: Unhealthy, then Unknown, then Healthy.
bool IsWorse(Health a, Health b);

// Why a device is Unknown. kNone exactly when it is not.
enum class UnknownReason {
  kNone,
  kNeverReported,
  kLeaseExpired,
  kDriverGone,
  kDriverSaysSo,
  kNodeRebooted,
  kNotSupported,  // the driver offers no health service, or the configuration turns it off
};

// Stable names for the store and JSON: "", "NeverReported", "LeaseExpired", ...
std::string_view ToString(UnknownReason reason);
std::optional<UnknownReason> ParseUnknownReason(std::string_view text);

// A lease of a year is a driver's mistake, and in a file it is damage; a day keeps arithmetic and
// expectations sane.
inline constexpr std::chrono::seconds kMaxLease = std::chrono::hours{24};

// One device in one report, as the driver sent it but with printable text.
struct DeviceReport {
  std::string pool;
  std::string device;
  Health health = Health::kUnknown;
  std::string message;
  std::int64_t last_updated =
      0;  // Unix seconds by the driver's clock: shown, never used for ageing
  std::chrono::seconds lease{0};  // 0: the driver set none, the default holds
};

// Longest message kept of a device, in bytes: the limit of the API's message field
// (core/v1 ResourceHealthMessageMaxLength).
inline constexpr std::size_t kMaxStoredMessage = 1024;

// What is known about a device now.
struct DeviceHealth {
  Health health = Health::kUnknown;
  UnknownReason reason = UnknownReason::kNeverReported;
  std::string message;  // the driver's words, or ours where the reason is ours; may be empty
  WallTime since;       // since when `health` and `reason` are what they are

  bool operator==(const DeviceHealth&) const = default;
};

}  // namespace dra_health

#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "base/clock.h"
#include "cache/store_reader.h"

namespace dra_health {

enum class CacheTopic { kDevices, kDrivers, kPods, kTransitions, kDiff, kInfo, kExport };

enum class CacheFormat { kTable, kWide, kJson };

// What `dra-health-agent cache TOPIC` was asked for.
struct CacheRequest {
  CacheTopic topic = CacheTopic::kDevices;
  std::filesystem::path store;
  CacheFormat format = CacheFormat::kTable;
  StoreFilter filter;
  std::size_t limit = 1000;  // of transitions; 0: all
};

// The option values as typed.
struct CacheArguments {
  std::string store;
  std::optional<std::string> format;
  std::optional<std::string> driver;
  std::optional<std::string> device;
  std::optional<std::string> pod;
  std::optional<std::string> health;
  std::optional<std::string> since;
  std::optional<std::string> limit;
};

struct WrongValue {
  std::string option;   // "--since"
  std::string problem;  // "'soon' is neither ...; allowed: ..."
};

// What each option may be is in its help text and in the error alike.
inline constexpr std::string_view kAllowedFormats = "table, wide or json";
inline constexpr std::string_view kAllowedHealth = "Healthy, Unhealthy or Unknown";
inline constexpr std::string_view kAllowedDrivers = "the name a driver registers under";
inline constexpr std::string_view kAllowedDevices = "DEVICE, POOL/DEVICE or DRIVER/POOL/DEVICE";
inline constexpr std::string_view kAllowedPods = "NAME, NAMESPACE/NAME or a UID";
inline constexpr std::string_view kAllowedSince =
    "how long ago, such as 30m or 24h, or a time such as 2026-11-30T12:00:00Z or 2026-11-30";
inline constexpr std::string_view kAllowedLimits = "a whole number, 0 for all";

tl::expected<CacheRequest, WrongValue> ParseCacheRequest(CacheTopic topic,
                                                         const CacheArguments& arguments,
                                                         WallTime now);

}  // namespace dra_health

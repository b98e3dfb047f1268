#include "cli/cache_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "base/duration.h"
#include "base/rfc3339.h"

namespace dra_health {
namespace {

template <typename T>
using Parsed = tl::expected<T, std::string>;  // the error is what is wrong with the value

Parsed<CacheFormat> ParseFormat(const std::string& text) {
  if (text == "table") return CacheFormat::kTable;
  if (text == "wide") return CacheFormat::kWide;
  if (text == "json") return CacheFormat::kJson;
  return tl::unexpected<std::string>("is no format");
}

std::string InLowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
  return lower;
}

Parsed<Health> ParseHealthWord(const std::string& text) {
  for (const Health health : {Health::kHealthy, Health::kUnhealthy, Health::kUnknown}) {
    if (InLowerCase(text) == InLowerCase(ToString(health))) return health;
  }
  return tl::unexpected<std::string>("is no health");
}

Parsed<WallTime> ParseSince(const std::string& text, WallTime now) {
  if (const auto time = ParseRfc3339(text)) return *time;
  if (const auto midnight = ParseRfc3339(text + "T00:00:00Z")) return *midnight;
  const auto back = ParseDuration(text);
  if (!back) return tl::unexpected<std::string>("is neither a duration nor a time");
  return now - std::chrono::duration_cast<std::chrono::milliseconds>(*back);
}

Parsed<std::string> ParsePod(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return text;
  const bool two_names =
      slash > 0 && slash + 1 < text.size() && text.find('/', slash + 1) == std::string::npos;
  if (!two_names) return tl::unexpected<std::string>("is no pod");
  return text;
}

Parsed<std::string> ParseDriver(const std::string& text) {
  if (text.find('/') == std::string::npos) return text;
  return tl::unexpected<std::string>("is no driver");
}

Parsed<std::string> ParseDevice(const std::string& text) { return text; }

Parsed<std::size_t> ParseLimit(const std::string& text) {
  std::size_t limit = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, limit);
  if (error != std::errc{} || stop != end)
    return tl::unexpected<std::string>("is no number of rows");
  return limit;
}

// Takes the options that were given, one after the other; the first wrong one stands.
class Reader {
 public:
  template <typename Parse, typename Target>
  void Read(const char* option, const std::optional<std::string>& text, std::string_view allowed,
            const Parse& parse, Target& target) {
    if (!text || wrong_) return;
    if (text->empty()) return Complain(option, *text, "is empty", allowed);
    auto value = parse(*text);
    if (!value) return Complain(option, *text, value.error(), allowed);
    target = std::move(*value);
  }
  const std::optional<WrongValue>& wrong() const { return wrong_; }

 private:
  void Complain(const char* option, const std::string& text, const std::string& why,
                std::string_view allowed) {
    wrong_ = {option, "'" + text + "' " + why + "; allowed: " + std::string(allowed)};
  }

  std::optional<WrongValue> wrong_;
};

}  // namespace

tl::expected<CacheRequest, WrongValue> ParseCacheRequest(CacheTopic topic,
                                                         const CacheArguments& arguments,
                                                         WallTime now) {
  CacheRequest request;
  request.topic = topic;
  request.store = arguments.store;
  StoreFilter& filter = request.filter;
  const auto parse_since = [now](const std::string& text) { return ParseSince(text, now); };
  Reader reader;
  reader.Read("--output", arguments.format, kAllowedFormats, ParseFormat, request.format);
  reader.Read("--driver", arguments.driver, kAllowedDrivers, ParseDriver, filter.driver);
  reader.Read("--device", arguments.device, kAllowedDevices, ParseDevice, filter.device);
  reader.Read("--pod", arguments.pod, kAllowedPods, ParsePod, filter.pod);
  reader.Read("--health", arguments.health, kAllowedHealth, ParseHealthWord, filter.health);
  reader.Read("--since", arguments.since, kAllowedSince, parse_since, filter.since);
  reader.Read("--limit", arguments.limit, kAllowedLimits, ParseLimit, request.limit);
  if (const auto& wrong = reader.wrong()) return tl::unexpected(*wrong);
  return request;
}

}  // namespace dra_health

#include "cli/value_kind.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "cli/byte_size.h"

namespace dra_health {
namespace {

using std::chrono::nanoseconds;

tl::unexpected<std::string> Wrong(std::string_view text, std::string_view what) {
  return tl::unexpected<std::string>("'" + std::string(text) + "' " + std::string(what));
}

template <typename Value>
std::optional<std::string_view> OutsideOf(Value value, Value least, Value most) {
  if (value < least) return "is too small";
  if (value > most) return "is too large";
  return std::nullopt;
}

tl::expected<std::size_t, std::string> ParseCount(std::string_view text) {
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc::result_out_of_range) return Wrong(text, "is too large");
  if (error != std::errc{} || rest != end) return Wrong(text, "is no whole number");
  return count;
}

// A size or a count within limits, which are shown as such values are written.
Kind<std::size_t> NumberKind(std::string name, std::size_t least, std::size_t most,
                             tl::expected<std::size_t, std::string> (*parse)(std::string_view),
                             std::string (*print)(std::size_t)) {
  auto within = [=](std::string_view text) -> tl::expected<std::size_t, std::string> {
    auto value = parse(text);
    if (!value) return value;
    if (const auto what = OutsideOf(*value, least, most)) return Wrong(text, *what);
    return value;
  };
  return {std::move(name), print(least) + " to " + print(most), std::move(within), print};
}

bool IsDnsLabel(std::string_view label, Letters letters) {
  const auto alphanumeric = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (letters == Letters::kAnyCase && c >= 'A' && c <= 'Z');
  };
  return !label.empty() && alphanumeric(label.front()) && alphanumeric(label.back()) &&
         std::ranges::all_of(label, [&](char c) { return alphanumeric(c) || c == '-'; });
}

bool IsDnsName(std::string_view name, Letters letters) {
  for (;;) {
    const auto dot = name.find('.');
    if (!IsDnsLabel(name.substr(0, dot), letters)) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

Kind<nanoseconds> NanosecondsKind(nanoseconds least, nanoseconds most, nanoseconds step) {
  auto parse = [=](std::string_view text) -> tl::expected<nanoseconds, std::string> {
    auto value = ParseDuration(text);
    if (!value) return value;
    if (const auto what = OutsideOf(*value, least, most)) return Wrong(text, *what);
    if (*value % step != nanoseconds{0}) {
      return Wrong(text, "is no multiple of " + FormatDuration(step));
    }
    return value;
  };
  return {"DURATION",
          FormatDuration(least) + " to " + FormatDuration(most) + " in steps of " +
              FormatDuration(step),
          std::move(parse), FormatDuration};
}

Kind<std::size_t> CountKind(std::size_t least, std::size_t most) {
  return NumberKind("NUMBER", least, most, ParseCount,
                    [](std::size_t count) { return std::to_string(count); });
}

Kind<std::size_t> SizeKind(std::size_t least, std::size_t most) {
  return NumberKind("SIZE", least, most, ParseByteSize, FormatByteSize);
}

Kind<std::filesystem::path> PathKind() {
  return {"PATH", "a path, not empty",
          [](std::string_view text) -> tl::expected<std::filesystem::path, std::string> {
            if (text.empty()) return tl::unexpected<std::string>("is empty");
            if (text.find('\0') != std::string_view::npos) {
              return tl::unexpected<std::string>("holds a NUL byte");
            }
            return std::filesystem::path(text);
          },
          [](const std::filesystem::path& path) { return path.string(); }};
}

Kind<std::string> DnsNameKind(std::size_t longest, Letters letters) {
  const std::string characters = letters == Letters::kAnyCase ? "A-Z, a-z" : "a-z";
  return {"NAME",
          "a DNS name of at most " + std::to_string(longest) + " characters: " + characters +
              ", 0-9, '-' and '.'",
          [=](std::string_view text) -> tl::expected<std::string, std::string> {
            if (text.size() > longest) return tl::unexpected<std::string>("is too long");
            if (!IsDnsName(text, letters)) return Wrong(text, "is no DNS name");
            return std::string(text);
          },
          [](const std::string& name) { return name; }};
}

std::string AnyOf(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

}  // namespace dra_health

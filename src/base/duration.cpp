#include "base/duration.h"

#include <array>
#include <cstdint>
#include <optional>

namespace dra_health {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array kUnits = {
    Unit{"h", 3'600'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},        Unit{"us", 1'000},         Unit{"ns", 1},
};

constexpr std::string_view kDigits = "0123456789";

tl::unexpected<std::string> Wrong(std::string_view text, std::string_view what) {
  return tl::unexpected<std::string>("'" + std::string(text) + "' " + std::string(what));
}

std::string_view TakeWhile(std::string_view& rest, std::string_view characters, bool in_set) {
  const auto end = in_set ? rest.find_first_not_of(characters) : rest.find_first_of(characters);
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(taken.size());
  return taken;
}

std::optional<Unit> FindUnit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit;
  }
  return std::nullopt;
}

// whole.fraction of `unit` in nanoseconds, nothing on overflow. Digits beyond a nanosecond are cut.
std::optional<std::int64_t> Scale(std::string_view whole, std::string_view fraction,
                                  std::int64_t unit) {
  std::int64_t value = 0;
  for (const char digit : whole) {
    if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, digit - '0', &value)) return std::nullopt;
  }
  if (__builtin_mul_overflow(value, unit, &value)) return std::nullopt;
  for (const char digit : fraction) {
    unit /= 10;
    if (__builtin_add_overflow(value, unit * (digit - '0'), &value)) return std::nullopt;
  }
  return value;
}

}  // namespace

tl::expected<std::chrono::nanoseconds, std::string> ParseDuration(std::string_view text) {
  if (text == "0") return std::chrono::nanoseconds{0};
  if (text.empty()) return Wrong(text, "is no duration");
  std::int64_t sum = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto whole = TakeWhile(rest, kDigits, true);
    std::string_view fraction;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      fraction = TakeWhile(rest, kDigits, true);
    }
    if (whole.empty()) return Wrong(text, "is no duration such as 30s or 1h30m");
    const auto name = TakeWhile(rest, "0123456789.", false);
    if (name.empty()) return Wrong(text, "needs a unit: h, m, s, ms, us or ns");
    const auto unit = FindUnit(name);
    if (!unit) return Wrong(text, "has an unknown unit; the units are h, m, s, ms, us and ns");
    const auto value = Scale(whole, fraction, unit->nanoseconds);
    if (!value || __builtin_add_overflow(sum, *value, &sum)) return Wrong(text, "is too long");
  }
  return std::chrono::nanoseconds{sum};
}

std::string FormatDuration(std::chrono::nanoseconds duration) {
  std::string text;
  std::int64_t rest = duration.count();
  for (const Unit& unit : kUnits) {
    if (rest < unit.nanoseconds) continue;
    text += std::to_string(rest / unit.nanoseconds);
    text += unit.name;
    rest %= unit.nanoseconds;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace dra_health

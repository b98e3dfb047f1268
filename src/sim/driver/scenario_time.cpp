#include <array>
#include <charconv>
#include <cmath>

#include "sim/driver/scenario.h"

namespace dra_health::sim {
namespace {

struct Unit {
  std::string_view name;
  double milliseconds;
};

constexpr std::array kUnits = {Unit{"ms", 1}, Unit{"s", 1e3}, Unit{"m", 60e3}, Unit{"h", 3600e3}};
constexpr double kYear = 365 * 24 * 3600e3;

// Takes the number at the front of `text`.
std::optional<double> TakeNumber(std::string_view& text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !(number >= 0)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Takes the unit at the front of `text`, in milliseconds.
std::optional<double> TakeUnit(std::string_view& text) {
  const std::string_view name = text.substr(0, text.find_first_of("0123456789."));
  text.remove_prefix(name.size());
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.milliseconds;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::milliseconds> ParseScenarioTime(std::string_view text) {
  double sum = 0;
  do {
    const auto number = TakeNumber(text);
    const auto unit = number ? TakeUnit(text) : std::nullopt;
    if (!unit) return std::nullopt;
    sum += *number * *unit;
  } while (!text.empty());
  if (!(sum <= kYear)) return std::nullopt;
  return std::chrono::milliseconds{std::llround(sum)};
}

}  // namespace dra_health::sim

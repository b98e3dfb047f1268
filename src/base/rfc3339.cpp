#include "base/rfc3339.h"

#include <algorithm>
#include <chrono>

namespace dra_health {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes text from its beginning on; once something was not as expected, `ok` stays false.
struct Scanner {
  std::string_view text;
  bool ok = true;

  int Number(std::size_t digits) {
    ok = ok && text.size() >= digits && std::ranges::all_of(text.substr(0, digits), IsDigit);
    if (!ok) return 0;
    int value = 0;
    for (const char c : text.substr(0, digits)) value = value * 10 + (c - '0');
    text.remove_prefix(digits);
    return value;
  }

  char OneOf(std::string_view allowed) {
    ok = ok && !text.empty() && allowed.find(text.front()) != std::string_view::npos;
    if (!ok) return '\0';
    const char c = text.front();
    text.remove_prefix(1);
    return c;
  }

  std::chrono::milliseconds Fraction() {
    if (!ok || text.empty() || text.front() != '.') return {};
    text.remove_prefix(1);
    const std::string_view digits =
        text.substr(0, std::min(text.size(), text.find_first_not_of("0123456789")));
    ok = !digits.empty();
    text.remove_prefix(digits.size());
    int millis = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      millis = millis * 10 + (i < digits.size() ? digits[i] - '0' : 0);
    }
    return std::chrono::milliseconds{millis};
  }

  // RFC 3339 allows lower case too.
  std::chrono::minutes Offset() {
    const char sign = OneOf("Zz+-");
    if (!ok || sign == 'Z' || sign == 'z') return {};
    const int hours = Number(2);
    OneOf(":");
    const int minutes = Number(2);
    ok = ok && hours < 24 && minutes < 60;
    return std::chrono::minutes{(hours * 60 + minutes) * (sign == '-' ? -1 : 1)};
  }
};

}  // namespace

std::optional<WallTime> ParseRfc3339(std::string_view text) {
  Scanner scan{text};
  const std::chrono::year year{scan.Number(4)};
  scan.OneOf("-");
  const std::chrono::month month{static_cast<unsigned>(scan.Number(2))};
  scan.OneOf("-");
  const std::chrono::day day{static_cast<unsigned>(scan.Number(2))};
  scan.OneOf("Tt ");
  const int hour = scan.Number(2);
  scan.OneOf(":");
  const int minute = scan.Number(2);
  scan.OneOf(":");
  const int second = scan.Number(2);
  const auto fraction = scan.Fraction();
  const auto offset = scan.Offset();
  const std::chrono::year_month_day date{year, month, day};
  const bool exists = date.ok() && hour < 24 && minute < 60 && second <= 60;  // 60: a leap second
  if (!scan.ok || !scan.text.empty() || !exists) return std::nullopt;
  return WallTime{std::chrono::sys_days{date}} + std::chrono::hours{hour} +
         std::chrono::minutes{minute} + std::chrono::seconds{second} + fraction - offset;
}

}  // namespace dra_health

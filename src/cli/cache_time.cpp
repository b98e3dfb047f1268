#include "cli/cache_time.h"

#include <algorithm>
#include <chrono>

namespace dra_health {

std::string FormatAge(WallTime then, WallTime now) {
  using std::chrono::days, std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
  const auto age = std::max(std::chrono::floor<seconds>(now - then), seconds{0});
  const auto in = [age](auto unit, const char* name) { return std::to_string(age / unit) + name; };
  // Two of the larger unit before it is used, so that no age is rounded by more than a half.
  if (age < minutes{2}) return in(seconds{1}, "s");
  if (age < hours{2}) return in(minutes{1}, "m");
  if (age < days{2}) return in(hours{1}, "h");
  return in(days{1}, "d");
}

}  // namespace dra_health

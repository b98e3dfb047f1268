#include "base/clock.h"

#include <time.h>

#include <array>
#include <cstdio>
#include <fstream>

namespace dra_health {
namespace {

std::tm ToUtc(WallTime time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return utc;
}

std::string Format(WallTime time, const char* pattern) {
  const std::tm utc = ToUtc(time);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), pattern, &utc)};
}

}  // namespace

Moment SystemClock::Now() const {
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  return {BootTime{std::chrono::seconds{boot.tv_sec} + std::chrono::nanoseconds{boot.tv_nsec}},
          std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())};
}

std::string ReadBootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::string FormatTime(WallTime time) { return Format(time, "%Y-%m-%dT%H:%M:%SZ"); }

std::string FormatTimeMillis(WallTime time) {
  const auto millis = (time - std::chrono::floor<std::chrono::seconds>(time)).count();
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ", static_cast<int>(millis));
  return Format(time, "%Y-%m-%dT%H:%M:%S") + fraction.data();
}

}  // namespace dra_health

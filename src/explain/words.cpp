#include "explain/words.h"

#include <algorithm>

namespace dra_health {

std::string Duration(std::chrono::milliseconds length) {
  using std::chrono::days, std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
  const auto whole = std::chrono::floor<seconds>(std::max(length, std::chrono::milliseconds{0}));
  const auto in = [&](auto large, const char* large_name, auto small, const char* small_name) {
    std::string text = std::to_string(whole / large) + " " + large_name;
    const auto rest = (whole % large) / small;
    if (rest != 0) text.append(" ").append(std::to_string(rest)).append(" ").append(small_name);
    return text;
  };
  if (whole < seconds{1}) return "less than 1 s";
  if (whole < minutes{1}) return std::to_string(whole.count()) + " s";
  if (whole < hours{1}) return in(minutes{1}, "min", seconds{1}, "s");
  if (whole < days{1}) return in(hours{1}, "h", minutes{1}, "min");
  return in(days{1}, "d", hours{1}, "h");
}

std::string Counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string Listed(const std::vector<std::string>& items) {
  constexpr std::size_t kMost = 4;
  const std::size_t shown = items.size() > kMost ? kMost - 1 : items.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  if (shown < items.size()) text += " and " + std::to_string(items.size() - shown) + " more";
  return text;
}

std::string CodeOf(const ContainerRun& run) {
  std::string details = run.reason;
  if (run.signal != 0) {
    details += (details.empty() ? "signal " : ", signal ") + std::to_string(run.signal);
  }
  const std::string code = "code " + std::to_string(run.exit_code);
  return details.empty() ? code : code + " (" + details + ")";
}

std::string Why(UnknownReason reason) {
  switch (reason) {
    case UnknownReason::kNone:
      return "nothing is recorded of that time";
    case UnknownReason::kNeverReported:
      return "its driver had not reported on it";
    case UnknownReason::kLeaseExpired:
      return "no report had come within its lease";
    case UnknownReason::kDriverGone:
      return "its driver was gone";
    case UnknownReason::kDriverSaysSo:
      return "its driver said that it did not know";
    case UnknownReason::kNodeRebooted:
      return "its driver had not reported since the node was rebooted";
    case UnknownReason::kNotSupported:
      return "its driver offers no health service";
  }
  return "";
}

std::string WhyNotOffered(const std::string& name, const DriverRecord* driver) {
  if (driver == nullptr) return "no driver " + name + " has been seen";
  if (driver->state == DriverState::kOff)
    return "driver " + name + " is turned off by configuration";
  return driver->offers_health() ? "" : "driver " + name + " offers no health service";
}

std::string Saying(const std::string& message) { return message.empty() ? "" : ": " + message; }

}  // namespace dra_health

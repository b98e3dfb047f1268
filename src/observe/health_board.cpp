#include "observe/health_board.h"

#include <utility>

namespace dra_health {

void HealthBoard::Turned() {
  const BootTime now = clock_.Now().boot;
  const std::lock_guard lock(mutex_);
  turned_ = now;
}

void HealthBoard::Set(std::vector<Check> checks) {
  const std::lock_guard lock(mutex_);
  checks_ = std::move(checks);
}

bool HealthBoard::LoopIsPrompt() const { return SinceTurn() <= kLate; }

std::vector<Check> HealthBoard::Live() const {
  using std::chrono::duration_cast, std::chrono::seconds;
  const auto since = SinceTurn();
  if (since <= kStuck) return {{"loop", ""}};
  return {{"loop",
           "it last turned " + std::to_string(duration_cast<seconds>(since).count()) + " s ago"}};
}

std::vector<Check> HealthBoard::Ready() const {
  std::vector<Check> checks = Live();
  const std::lock_guard lock(mutex_);
  checks.insert(checks.end(), checks_.begin(), checks_.end());
  return checks;
}

std::chrono::nanoseconds HealthBoard::SinceTurn() const {
  const BootTime now = clock_.Now().boot;
  const std::lock_guard lock(mutex_);
  return now - turned_;
}

}  // namespace dra_health

#include "base/backoff.h"

#include <algorithm>

namespace dra_health {

std::chrono::milliseconds Backoff::Next() {
  constexpr int kMaxShift = 20;  // far beyond any `most`, far below an overflow
  const int shift = std::min(attempts_, kMaxShift);
  const auto ceiling = std::min(limits_.first * (std::int64_t{1} << shift), limits_.most);
  ++attempts_;
  std::uniform_int_distribution<std::int64_t> jitter(ceiling.count() / 2, ceiling.count());
  return std::chrono::milliseconds{jitter(random_)};
}

}  // namespace dra_health

#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace dra_health {

struct BackoffLimits {
  std::chrono::milliseconds first;
  std::chrono::milliseconds most;
};

// Doubling delays with jitter in the upper half, so that nodes do not retry in step.
// Not synchronised; one owner. Seeded, so that a simulation replays.
class Backoff {
 public:
  explicit Backoff(BackoffLimits limits, std::uint64_t seed = std::random_device{}())
      : limits_(limits), random_(seed) {}

  std::chrono::milliseconds Next();
  void Reset() { attempts_ = 0; }
  int attempts() const { return attempts_; }

 private:
  BackoffLimits limits_;
  std::minstd_rand random_;
  int attempts_ = 0;
};

}  // namespace dra_health

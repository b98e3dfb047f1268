#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"

namespace dra_health {

struct Check {
  std::string name;
  std::string trouble;  // empty: all is well

  bool ok() const { return trouble.empty(); }
};

// What the probes are answered from, so that they are answered also while the loop hangs.
//
// Thread: any, for every method; the loop writes, the listener reads. `clock` must outlive it.
class HealthBoard {
 public:
  // The loop turns at least every 10 s, because it notes then that the agent is alive.
  static constexpr std::chrono::seconds kLate{15};
  static constexpr std::chrono::seconds kStuck{30};

  explicit HealthBoard(const Clock& clock) : clock_(clock), turned_(clock.Now().boot) {}

  void Turned();
  void Set(std::vector<Check> checks);

  // False: better not to wait for the loop.
  bool LoopIsPrompt() const;

  std::vector<Check> Live() const;   // the loop
  std::vector<Check> Ready() const;  // the loop, and what was Set last

 private:
  std::chrono::nanoseconds SinceTurn() const;

  const Clock& clock_;
  mutable std::mutex mutex_;
  BootTime turned_;                                        // guarded by mutex_
  std::vector<Check> checks_{{"state", "not known yet"}};  // guarded by mutex_
};

}  // namespace dra_health

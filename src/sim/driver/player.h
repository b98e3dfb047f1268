#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "sim/driver/driver.h"
#include "sim/driver/scenario.h"

namespace dra_health::sim {

struct PlayerOptions {
  std::filesystem::path registration_dir;
  std::filesystem::path plugins_dir;
  // Told of each step when it has been carried out, on the player's thread; `error` where it
  // failed.
  std::function<void(const Step& step, const Result<void>& done)> on_step;
};

// Plays a scenario on simulated drivers.
//
// Thread: one owner; the steps run on a thread of the player's own. Drivers live on after the last
// step, heartbeats included, until Stop.
class Player {
 public:
  Player(Scenario scenario, PlayerOptions options);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  ~Player();  // as Stop

  // Starts the drivers, then the clock. REQUIRES: called once.
  Result<void> Start();
  // Ends at once, between two steps, and stops the drivers.
  void Stop();
  // True when the last step has been carried out, false when that takes longer than `limit`.
  bool WaitUntilPlayed(std::chrono::milliseconds limit);

  // REQUIRES: the scenario has it. Starting and stopping it is the player's business until the last
  // step has been played.
  Driver& driver(const std::string& name) { return *actors_.at(name).driver; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  struct Actor {
    std::unique_ptr<Driver> driver;
    std::optional<std::chrono::milliseconds> heartbeat;
    SteadyTime next_heartbeat;
  };

  void Run();
  void SendHeartbeats(SteadyTime now);
  SteadyTime NextWake(SteadyTime start, std::size_t next_step) const;
  Result<void> Act(Actor& actor, const Action& action);

  const Scenario scenario_;
  const PlayerOptions options_;

  std::map<std::string, Actor> actors_;  // the player's thread, while it runs
  std::thread thread_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  bool stopping_ = false;
  bool played_ = false;
};

}  // namespace dra_health::sim

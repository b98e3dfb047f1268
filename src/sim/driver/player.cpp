#include "sim/driver/player.h"

#include <algorithm>
#include <utility>

namespace dra_health::sim {
namespace {

using std::chrono::steady_clock;

// As a driver has it that looks at its devices just before it reports.
std::vector<DeviceReport> Stamped(std::vector<DeviceReport> devices) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  for (DeviceReport& device : devices) device.last_updated = seconds;
  return devices;
}

}  // namespace

Player::Player(Scenario scenario, PlayerOptions options)
    : scenario_(std::move(scenario)), options_(std::move(options)) {
  for (const ScenarioDriver& driver : scenario_.drivers) {
    actors_[driver.name] = {.driver = std::make_unique<Driver>(
                                DriverOptions{.name = driver.name,
                                              .registration_dir = options_.registration_dir,
                                              .plugins_dir = options_.plugins_dir,
                                              .services = driver.services}),
                            .heartbeat = driver.heartbeat};
  }
}

Player::~Player() { Stop(); }

Result<void> Player::Start() {
  for (const ScenarioDriver& driver : scenario_.drivers) {
    Actor& actor = actors_.at(driver.name);
    actor.driver->Report(Stamped(driver.devices));
    if (auto started = actor.driver->Start(); !started) return started;
  }
  thread_ = std::thread(&Player::Run, this);
  return {};
}

void Player::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (auto& [name, actor] : actors_) actor.driver->Stop();
}

bool Player::WaitUntilPlayed(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return played_; });
}

void Player::Run() {
  const SteadyTime start = steady_clock::now();
  for (auto& [name, actor] : actors_) {
    if (actor.heartbeat) actor.next_heartbeat = start + *actor.heartbeat;
  }
  std::size_t next = 0;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    for (; next < scenario_.steps.size() && start + scenario_.steps[next].at <= steady_clock::now();
         ++next) {
      const Step& step = scenario_.steps[next];
      const auto done = Act(actors_.at(step.driver), step.action);
      if (options_.on_step) options_.on_step(step, done);
    }
    SendHeartbeats(steady_clock::now());
    lock.lock();
    if (next == scenario_.steps.size() && !std::exchange(played_, true)) changed_.notify_all();
    changed_.wait_until(lock, NextWake(start, next), [this] { return stopping_; });
  }
}

void Player::SendHeartbeats(SteadyTime now) {
  for (auto& [name, actor] : actors_) {
    if (!actor.heartbeat || actor.next_heartbeat > now) continue;
    actor.driver->Resend();
    actor.next_heartbeat = now + *actor.heartbeat;
  }
}

Player::SteadyTime Player::NextWake(SteadyTime start, std::size_t next_step) const {
  SteadyTime wake = start + std::chrono::hours{24 * 366};
  if (next_step < scenario_.steps.size()) wake = start + scenario_.steps[next_step].at;
  for (const auto& [name, actor] : actors_) {
    if (actor.heartbeat) wake = std::min(wake, actor.next_heartbeat);
  }
  return wake;
}

Result<void> Player::Act(Actor& actor, const Action& action) {
  struct Actions {
    Actor& actor;

    Result<void> operator()(const action::Report& report) const {
      actor.driver->Report(Stamped(report.devices));
      return {};
    }
    Result<void> operator()(const action::Heartbeat& heartbeat) const {
      actor.heartbeat = heartbeat.interval;
      if (actor.heartbeat) actor.next_heartbeat = steady_clock::now() + *actor.heartbeat;
      return {};
    }
    Result<void> operator()(const action::EndStreams& end) const {
      actor.driver->EndStreams(end.grpc_code);
      return {};
    }
    Result<void> operator()(action::Silence) const {
      actor.driver->Silence();
      return {};
    }
    Result<void> operator()(action::Resume) const {
      actor.driver->Resume();
      return {};
    }
    Result<void> operator()(action::Stop) const {
      actor.driver->Stop();
      return {};
    }
    Result<void> operator()(action::Kill) const {
      actor.driver->Kill();
      return {};
    }
    Result<void> operator()(action::Start) const { return actor.driver->Start(); }
  };
  return std::visit(Actions{actor}, action);
}

}  // namespace dra_health::sim

#include "simulation.h"

#include <algorithm>
#include <utility>

#include "habits.h"

namespace dra_health {
namespace {

using std::chrono::seconds;

constexpr std::size_t kChapter = 4000;  // steps of a storm

}  // namespace

Simulation::Simulation(std::uint64_t seed, std::size_t trace_from)
    : trace_from_(trace_from), random_(seed), settings_(SomeSettings(random_)) {
  drivers_["gpu.example.com"].lease = seconds{10 + Below(30)};
  drivers_["nic.example.com"].lease = seconds{0};
  drivers_["fpga.example.com"].lease = std::chrono::hours{3};
  drivers_["fpga.example.com"].heartbeats = false;
  for (auto& [name, driver] : drivers_) {
    for (int i = 0; i < 4; ++i) {
      driver.devices.push_back(
          {"node", "dev-" + std::to_string(i), Health::kHealthy, "", 0, driver.lease});
    }
  }
  drivers_["old.example.com"] = {.supported = false,
                                 .devices = {{"node", "dev-0", Health::kUnknown, "", 0, {}}}};
  for (const auto& [name, driver] : drivers_) Register(name);
  Wake();
  for (const auto& [name, driver] : drivers_) {
    if (driver.heartbeats) At(seconds{1}, [this, name = name] { Heartbeat(name); });
  }
  At(seconds{10}, [this] { KubeletTick(); });
  At(seconds{60}, [this] { Storm(); });
}

bool Simulation::Run(std::size_t steps) {
  std::size_t next_calm = kChapter;
  while (counts_.steps < steps && failure_.empty()) {
    Step();
    if (counts_.steps < next_calm) continue;
    Calm();
    NewChapter();
    next_calm = counts_.steps + kChapter;
  }
  return failure_.empty();
}

void Simulation::NewChapter() {
  if (!failure_.empty()) return;
  Crash();
  settings_ = SomeSettings(random_);
  mortal_ = Chance(80);
  Wake();
}

void Simulation::At(std::chrono::nanoseconds in, std::function<void()> action) {
  actions_.emplace(Now().boot + in, std::move(action));
}

void Simulation::Step() {
  BootTime next = actions_.begin()->first;
  if (reconciler_) next = std::min(next, std::max(reconciler_->NextDeadline(), Now().boot));
  clock_.Advance(next - Now().boot);
  if (reconciler_ && reconciler_->NextDeadline() <= Now().boot) {
    Deliver(event::Tick{});
    if (reconciler_ && reconciler_->NextDeadline() <= Now().boot) Deliver(event::Tick{});
    if (reconciler_ && reconciler_->NextDeadline() <= Now().boot) Broken("a deadline that stays");
    return;
  }
  auto action = actions_.extract(actions_.begin());
  action.mapped()();
}

void Simulation::Pass(seconds time) {
  const BootTime end = Now().boot + time;
  while (failure_.empty() && actions_.begin()->first <= end) Step();
}

void Simulation::Broken(const std::string& what) {
  if (failure_.empty()) {
    failure_ = "step " + std::to_string(counts_.steps) + " at " + FormatTimeMillis(Now().wall) +
               ": " + what + " (" + DescribeHabits(settings_) + ")";
  }
}

}  // namespace dra_health

// Prints every metric that the agent has, each with a series at least, for tests of their names.

#include <iostream>

#include "observe/metrics.h"

int main() {
  using namespace dra_health;
  using namespace std::chrono_literals;

  Metrics metrics;
  Effects effects;
  Transition transition;
  transition.key = {"gpu.example.com", "pool", "device"};
  effects.writes.emplace_back(transition);
  metrics.Saw(effects);

  Observation seen;
  seen.summary.drivers["gpu.example.com"].devices.lease_margin = 30s;
  seen.summary.pods.by_field[FieldState::kOwn] = 1;
  metrics.Set(seen);
  std::cout << metrics.Text();
}

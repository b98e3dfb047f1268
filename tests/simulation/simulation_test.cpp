#include "simulation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace dra_health {
namespace {

// From the environment, to replay a run or to have a longer one.
std::uint64_t Number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

// Sanitizers cost twenty times the time.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kSteps = 200'000;
#else
constexpr std::uint64_t kSteps = 1'000'000;
#endif

TEST(SimulationTest, TheRulesHoldInEveryStorm) {
  const std::uint64_t seed = Number("SIMULATION_SEED", std::random_device{}());
  const std::uint64_t steps = Number("SIMULATION_STEPS", kSteps);
  const std::uint64_t trace_from = Number("SIMULATION_TRACE_FROM", SIZE_MAX);
  // Printed before the run, in case that it does not come to its end.
  std::cout << "replay: SIMULATION_SEED=" << seed << " SIMULATION_STEPS=" << steps << std::endl;
  Simulation simulation(seed, trace_from);
  EXPECT_TRUE(simulation.Run(steps)) << simulation.failure();
  const auto& counts = simulation.counts();
  std::cout << counts.steps << " steps, " << counts.patches << " patches, " << counts.transitions
            << " transitions, " << counts.restarts << " restarts, " << counts.calms << " calms, "
            << counts.most_kept << " rows kept, " << counts.most_memory << " bytes\n";
}

TEST(SimulationTest, TheSameSeedGivesTheSameRun) {
  Simulation one(7);
  Simulation other(7);
  one.Run(20'000);
  other.Run(20'000);
  EXPECT_EQ(one.counts().patches, other.counts().patches);
  EXPECT_EQ(one.counts().transitions, other.counts().transitions);
  EXPECT_GT(one.counts().restarts, 10U);
  EXPECT_GT(one.counts().patches, 100U);
}

}  // namespace
}  // namespace dra_health

#include "sim/driver/scenario.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/driver.h"

namespace dra_health::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Scenario Parsed(const std::string& text) {
  auto scenario = ParseScenario(text, "s.yaml");
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario.value_or(Scenario{});
}

std::string Refused(const std::string& text) {
  const auto scenario = ParseScenario(text, "s.yaml");
  return scenario ? "accepted" : scenario.error().message;
}

constexpr const char* kOneDriver = "drivers: {gpu: }\n";

TEST(ScenarioTest, EveryFeatureOfADriverIsRead) {
  const Scenario scenario = Parsed(R"(
drivers:
  gpu.example.com:
    heartbeat: 5s
    lease: 10s
    services: [v1alpha1]
    devices:
      a/b/gpu-0: healthy
      a/gpu-1: {health: unhealthy, message: "fan stuck", lease: 1m}
      a/gpu-2: unknown
)");
  ASSERT_EQ(scenario.drivers.size(), 1u);
  const ScenarioDriver& driver = scenario.drivers[0];
  EXPECT_EQ(driver.name, "gpu.example.com");
  EXPECT_EQ(driver.heartbeat, seconds{5});
  EXPECT_THAT(driver.services, ElementsAre(kHealthV1Alpha1));
  ASSERT_EQ(driver.devices.size(), 3u);
  EXPECT_EQ(driver.devices[0].pool, "a/b");
  EXPECT_EQ(driver.devices[0].device, "gpu-0");
  EXPECT_EQ(driver.devices[0].health, Health::kHealthy);
  EXPECT_EQ(driver.devices[0].lease, seconds{10});
  EXPECT_EQ(driver.devices[1].health, Health::kUnhealthy);
  EXPECT_EQ(driver.devices[1].message, "fan stuck");
  EXPECT_EQ(driver.devices[1].lease, seconds{60});
  EXPECT_EQ(driver.devices[2].health, Health::kUnknown);
  EXPECT_THAT(scenario.steps, IsEmpty());
}

TEST(ScenarioTest, DriverWithoutSettingsHasBothServicesAndNoHeartbeat) {
  const Scenario scenario = Parsed(kOneDriver);
  EXPECT_THAT(scenario.drivers.at(0).services, ElementsAre(kHealthV1, kHealthV1Alpha1));
  EXPECT_FALSE(scenario.drivers[0].heartbeat);
  EXPECT_THAT(scenario.drivers[0].devices, IsEmpty());
}

TEST(ScenarioTest, ServicesMayBeNone) {
  EXPECT_THAT(Parsed("drivers: {gpu: {services: []}}").drivers.at(0).services, IsEmpty());
}

TEST(ScenarioTest, EveryActionIsRead) {
  const auto steps = Parsed(std::string(kOneDriver) + R"(
steps:
  - at: 0s
    report: {p/d: {health: unhealthy, message: XID 79}}
  - {at: 1s, heartbeat: 500ms}
  - {at: 2s, heartbeat: off}
  - {at: 3s, do: silence}
  - {at: 4s, do: resume}
  - {at: 5s, end: UNAVAILABLE}
  - {at: 6s, do: stop}
  - {at: 7s, do: start}
  - {at: 8s, do: kill}
)")
                         .steps;
  ASSERT_EQ(steps.size(), 9u);
  EXPECT_EQ(std::get<action::Report>(steps[0].action).devices.at(0).message, "XID 79");
  EXPECT_EQ(std::get<action::Heartbeat>(steps[1].action).interval, milliseconds{500});
  EXPECT_FALSE(std::get<action::Heartbeat>(steps[2].action).interval);
  EXPECT_TRUE(std::holds_alternative<action::Silence>(steps[3].action));
  EXPECT_TRUE(std::holds_alternative<action::Resume>(steps[4].action));
  EXPECT_EQ(std::get<action::EndStreams>(steps[5].action).grpc_code, 14);
  EXPECT_TRUE(std::holds_alternative<action::Stop>(steps[6].action));
  EXPECT_TRUE(std::holds_alternative<action::Start>(steps[7].action));
  EXPECT_TRUE(std::holds_alternative<action::Kill>(steps[8].action));
  EXPECT_EQ(steps[8].driver, "gpu");
}

TEST(ScenarioTest, StepsAreSortedByTimeAndKeepTheirOrderWithin) {
  const auto steps = Parsed(std::string(kOneDriver) + R"(
steps:
  - {at: 2s, do: stop}
  - {at: 1s, do: silence}
  - {at: 2s, do: start}
)")
                         .steps;
  EXPECT_EQ(steps.at(0).at, seconds{1});
  EXPECT_TRUE(std::holds_alternative<action::Stop>(steps.at(1).action));
  EXPECT_TRUE(std::holds_alternative<action::Start>(steps.at(2).action));
}

TEST(ScenarioTest, ReportsInStepsInheritTheLeaseOfTheirDriver) {
  const auto steps = Parsed(R"(
drivers: {a: {lease: 7s}, b: }
steps:
  - {at: 1s, driver: a, report: {p/d: healthy}}
  - {at: 2s, driver: b, report: {p/d: healthy}}
)")
                         .steps;
  EXPECT_EQ(std::get<action::Report>(steps.at(0).action).devices.at(0).lease, seconds{7});
  EXPECT_EQ(std::get<action::Report>(steps.at(1).action).devices.at(0).lease, seconds{0});
}

struct BadCase {
  const char* text;
  const char* line;  // what the message starts with
  const char* part;  // and holds
};

class BadScenarioTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadScenarioTest, ErrorNamesTheLineAndWhatIsAllowed) {
  const std::string message = Refused(GetParam().text);
  EXPECT_THAT(message, StartsWith(GetParam().line)) << GetParam().text;
  EXPECT_THAT(message, HasSubstr(GetParam().part)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadScenarioTest,
    ::testing::Values(
        BadCase{"", "s.yaml:1: ", "a scenario must be a map"},
        BadCase{"[1]", "s.yaml:1: ", "a scenario must be a map"},
        BadCase{"drivers: {gpu: }\nstep: []",
                "s.yaml:2: ", "'step' in a scenario; allowed: drivers, steps"},
        BadCase{"steps: []", "s.yaml:1: ", "'drivers' is missing"},
        BadCase{"drivers: {}", "s.yaml:1: ", "names no driver"},
        BadCase{"drivers:\n  a/b:", "s.yaml:2: ", "is no driver name"},
        BadCase{"drivers:\n  gpu:\n  gpu:", "s.yaml:3: ", "'gpu' stands twice"},
        BadCase{"drivers:\n  gpu:\n    beat: 5s",
                "s.yaml:3: ", "allowed: heartbeat, lease, services, devices"},
        BadCase{"drivers:\n  gpu:\n    heartbeat: 5", "s.yaml:3: ", "such as 500ms, 2s"},
        BadCase{"drivers:\n  gpu:\n    heartbeat: 0s", "s.yaml:3: ", "allowed: off, or"},
        BadCase{"drivers:\n  gpu:\n    lease: 500ms", "s.yaml:3: ", "whole seconds"},
        BadCase{"drivers:\n  gpu:\n    services: v1", "s.yaml:3: ", "must be a list"},
        BadCase{"drivers:\n  gpu:\n    services: [v2]", "s.yaml:3: ", "allowed: v1, v1alpha1"},
        BadCase{"drivers:\n  gpu:\n    devices: {d: healthy}", "s.yaml:3: ", "POOL/DEVICE"},
        BadCase{"drivers:\n  gpu:\n    devices: {p/: healthy}", "s.yaml:3: ", "POOL/DEVICE"},
        BadCase{"drivers:\n  gpu:\n    devices:\n      p/d: fine",
                "s.yaml:4: ", "allowed: healthy, unhealthy, unknown"},
        BadCase{"drivers:\n  gpu:\n    devices:\n      p/d: {message: x}",
                "s.yaml:4: ", "'health' of p/d is missing"},
        BadCase{"drivers:\n  gpu:\n    devices:\n      p/d: {health: [healthy]}",
                "s.yaml:4: ", "single value"},
        BadCase{"drivers: {gpu: }\nsteps: {at: 1s}", "s.yaml:2: ", "must be a list"},
        BadCase{"drivers: {gpu: }\nsteps:\n- do: stop", "s.yaml:3: ", "needs 'at'"},
        BadCase{"drivers: {gpu: }\nsteps:\n- {at: -1s, do: stop}", "s.yaml:3: ", "'at' is '-1s'"},
        BadCase{"drivers: {gpu: }\nsteps:\n- {at: 1s}", "s.yaml:3: ", "one of 'report'"},
        BadCase{"drivers: {gpu: }\nsteps:\n- {at: 1s, do: stop, end: OK}",
                "s.yaml:3: ", "one of 'report'"},
        BadCase{"drivers: {gpu: }\nsteps:\n- {at: 1s, do: explode}",
                "s.yaml:3: ", "allowed: silence, resume, stop, start, kill"},
        BadCase{"drivers: {gpu: }\nsteps:\n- {at: 1s, end: BROKEN}", "s.yaml:3: ", "UNAVAILABLE"},
        BadCase{"drivers: {gpu: }\nsteps:\n- {at: 1s, driver: gpo, do: stop}",
                "s.yaml:3: ", "'driver' is 'gpo'; allowed: gpu"},
        BadCase{"drivers: {a: , b: }\nsteps:\n- {at: 1s, do: stop}",
                "s.yaml:3: ", "where there are several: a, b"},
        BadCase{"drivers: {gpu: [}", "s.yaml:1: ", "not YAML"}));

TEST(ScenarioTest, UnreadableFileIsNamed) {
  const auto scenario = LoadScenario("/nonexistent/s.yaml");
  ASSERT_FALSE(scenario);
  EXPECT_THAT(scenario.error().message, HasSubstr("/nonexistent/s.yaml"));
}

TEST(ScenarioTest, FileIsReadAndNamedInErrors) {
  const std::string path = ::testing::TempDir() + "/scenario.yaml";
  std::ofstream(path) << "drivers: {gpu: }\noops: 1\n";
  const auto scenario = LoadScenario(path);
  ASSERT_FALSE(scenario);
  EXPECT_THAT(scenario.error().message, StartsWith(path + ":2: "));
}

}  // namespace
}  // namespace dra_health::sim

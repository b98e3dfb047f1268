#include "observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace dra_health {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPrefix = "dra_health_agent_";

class MetricsTest : public testing::Test {
 protected:
  // The value of one series as text; "" when there is none.
  std::string Value(const std::string& series) const {
    const std::string text = "\n" + metrics.Text();
    const std::string start = "\n" + (kPrefix + series) + " ";
    const auto found = text.find(start);
    if (found == std::string::npos) return "";
    const auto begin = found + start.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  Metrics metrics;
  Observation seen;
};

Transition Turn(const std::string& driver, Health to, UnknownReason reason = UnknownReason::kNone) {
  Transition transition;
  transition.key = {driver, "pool", "device"};
  transition.to = to;
  transition.reason = reason;
  return transition;
}

TEST_F(MetricsTest, PatchesAreCountedByOutcome) {
  event::PatchDone done;
  done.outcome = event::PatchOutcome::kStale;
  metrics.Saw(Event{done});
  metrics.Saw(Event{done});
  EXPECT_EQ(Value("patches_total{outcome=\"stale\"}"), "2");
  EXPECT_EQ(Value("patches_total{outcome=\"applied\"}"), "0") << "there before it is needed";
}

TEST_F(MetricsTest, ReportsAreCounted) {
  metrics.Saw(Event{event::ReportReceived{}});
  metrics.Saw(Event{event::Tick{}});
  EXPECT_EQ(Value("reports_total"), "1");
}

TEST_F(MetricsTest, TransitionsAreCountedByWhatBecameOfTheDevice) {
  Effects effects;
  effects.writes = {Turn("gpu", Health::kUnhealthy), Turn("gpu", Health::kUnhealthy),
                    Turn("nic", Health::kUnknown, UnknownReason::kLeaseExpired), DeviceRecord{}};
  metrics.Saw(effects);
  EXPECT_EQ(Value("device_transitions_total{driver=\"gpu\",health=\"Unhealthy\",reason=\"\"}"),
            "2");
  EXPECT_EQ(Value("device_transitions_total{driver=\"nic\",health=\"Unknown\","
                  "reason=\"LeaseExpired\"}"),
            "1");
}

TEST_F(MetricsTest, LatencyAndWriteTimeAreInSeconds) {
  Effects effects;
  effects.effects.emplace_back(effect::Published{1500ms});
  metrics.Saw(effects);
  metrics.StoreWritten(250us);
  EXPECT_EQ(Value("publish_latency_seconds_sum"), "1.5");
  EXPECT_EQ(Value("publish_latency_seconds_bucket{le=\"1\"}"), "0");
  EXPECT_EQ(Value("publish_latency_seconds_bucket{le=\"2.5\"}"), "1");
  EXPECT_EQ(Value("store_write_duration_seconds_sum"), "0.00025");
}

TEST_F(MetricsTest, ADriverIsInOneState) {
  seen.summary.drivers["gpu"].state = DriverState::kStreaming;
  seen.summary.drivers["gpu"].streams_ended = 3;
  metrics.Set(seen);
  const std::string state(ToString(DriverState::kStreaming));
  EXPECT_EQ(Value("driver_state{driver=\"gpu\",state=\"" + state + "\"}"), "1");
  const std::string text = metrics.Text();
  std::size_t states = 0;
  for (auto at = text.find("driver_state{"); at != std::string::npos;
       at = text.find("driver_state{", at + 1)) {
    ++states;
  }
  EXPECT_EQ(states, 6U) << "one for each state, so that a sum over them is the drivers";
  EXPECT_EQ(Value("driver_streams_ended_total{driver=\"gpu\"}"), "3");
}

TEST_F(MetricsTest, DevicesAndLeasesByDriver) {
  auto& devices = seen.summary.drivers["gpu"].devices;
  devices.by_health = {{Health::kHealthy, 7}, {Health::kUnhealthy, 1}};
  devices.stale = 2;
  devices.lease_margin = 12s;
  metrics.Set(seen);
  EXPECT_EQ(Value("devices{driver=\"gpu\",health=\"Healthy\"}"), "7");
  EXPECT_EQ(Value("devices{driver=\"gpu\",health=\"Unknown\"}"), "0");
  EXPECT_EQ(Value("stale_devices{driver=\"gpu\"}"), "2");
  EXPECT_EQ(Value("driver_lease_margin_seconds{driver=\"gpu\"}"), "12");
  devices.lease_margin.reset();
  metrics.Set(seen);
  EXPECT_EQ(Value("driver_lease_margin_seconds{driver=\"gpu\"}"), "") << "nothing is current";
}

TEST_F(MetricsTest, WhatIsGoneLeavesNoSeries) {
  seen.summary.drivers["gpu"].devices.stale = 1;
  metrics.Set(seen);
  metrics.Set(Observation{});
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("driver=\"gpu\"")));
}

TEST_F(MetricsTest, ManyDriversShareOneLabel) {
  for (int i = 0; i < 100; ++i) {
    auto& driver = seen.summary.drivers["driver-" + std::to_string(1000 + i)];
    driver.devices.by_health[Health::kHealthy] = 2;
    driver.devices.lease_margin = std::chrono::seconds{i};
  }
  metrics.Set(seen);
  EXPECT_EQ(Value("devices{driver=\"driver-1063\",health=\"Healthy\"}"), "2");
  EXPECT_EQ(Value("devices{driver=\"driver-1064\",health=\"Healthy\"}"), "");
  EXPECT_EQ(Value("devices{driver=\"other\",health=\"Healthy\"}"), "72");
  EXPECT_EQ(Value("driver_lease_margin_seconds{driver=\"other\"}"), "64") << "the least";
  Effects effects;
  effects.writes = {Turn("driver-1099", Health::kHealthy)};
  metrics.Saw(effects);
  EXPECT_EQ(Value("device_transitions_total{driver=\"other\",health=\"Healthy\",reason=\"\"}"),
            "1");
}

TEST_F(MetricsTest, PodsByWhoHasTheLastWord) {
  seen.summary.pods.by_field = {{FieldState::kOwn, 4}, {FieldState::kContested, 1}};
  seen.summary.pods.reverts = 9;
  metrics.Set(seen);
  EXPECT_EQ(Value("pods{ownership=\"own\"}"), "4");
  EXPECT_EQ(Value("pods{ownership=\"contested\"}"), "1");
  EXPECT_EQ(Value("field_reverts_total"), "9");
}

TEST_F(MetricsTest, TheStore) {
  seen.store = {.writable = false, .bytes = 4096, .failures = 3, .kept = 5};
  metrics.Set(seen);
  EXPECT_EQ(Value("store_writable"), "0");
  EXPECT_EQ(Value("store_size_bytes"), "4096");
  EXPECT_EQ(Value("store_failures_total"), "3");
  EXPECT_EQ(Value("store_unwritten_records"), "5");
}

TEST_F(MetricsTest, BuildInfoNamesVersionAndCommit) {
  EXPECT_THAT(metrics.Text(),
              testing::ContainsRegex(
                  "dra_health_agent_build_info.commit=\"[^\"]+\",version=\"[^\"]+\". 1\n"));
}

TEST_F(MetricsTest, ADriversNameCannotBreakTheFormat) {
  seen.summary.drivers["a\"b\\c\nd"].devices.stale = 1;
  metrics.Set(seen);
  EXPECT_EQ(Value("stale_devices{driver=\"a\\\"b\\\\c\\nd\"}"), "1");
}

}  // namespace
}  // namespace dra_health

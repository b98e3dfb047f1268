// What a device's health is, by the driver's words and by age.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::Field;
using testing::HasSubstr;
using testing::Optional;

class DeviceHealthTest : public testing::Test {
 protected:
  void SetUp() override {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}, {"req", "gpu-1"}});
    plugin = world.Register();
    world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy)});
    world.AddPod({});
    ASSERT_THAT(world.Condition(), Optional(Health::kHealthy));
    world.patches.clear();
    world.transitions.clear();
  }

  World world;
  PluginId plugin = 0;
};

TEST_F(DeviceHealthTest, AChangeIsPublishedAtOnceWithTheDriversWordsAndSinceWhen) {
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "Xid 79")});
  ASSERT_EQ(world.patches.size(), 1U);
  const auto shown = world.Shown("gpu-0");
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->health, Health::kUnhealthy);
  EXPECT_EQ(shown->message, "Xid 79 (since " + FormatTime(world.now().wall) + ")");
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
  EXPECT_EQ(world.pod().condition->status.reason, "DeviceUnhealthy");
  EXPECT_THAT(world.pod().condition->status.message, HasSubstr("gpu.example.com/node-1/gpu-0"));
}

TEST_F(DeviceHealthTest, AbsenceFromAReportChangesNothing) {
  world.Report(plugin, {Says("gpu-1", Health::kHealthy)});
  EXPECT_TRUE(world.patches.empty());
  EXPECT_TRUE(world.transitions.empty());
}

// kubeletplugin/health.go: one report per source, each with its own devices.
TEST_F(DeviceHealthTest, DisjointPartialReportsTakeTurnsWithoutAFlap) {
  for (int i = 0; i < 100; ++i) {
    world.Advance(5s);
    world.Report(plugin, {Says(i % 2 == 0 ? "gpu-0" : "gpu-1", Health::kHealthy)});
  }
  EXPECT_TRUE(world.patches.empty());
  EXPECT_TRUE(world.transitions.empty());
}

// #140819: a silent driver left its pods Healthy, or late by 51 s.
TEST_F(DeviceHealthTest, ExpiryIsPublishedAtTheEndOfTheLease) {
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 10s)});
  world.Advance(9999ms);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  world.Advance(1ms);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kUnknown);
  EXPECT_EQ(world.Shown("gpu-1")->health, Health::kHealthy);
  ASSERT_EQ(world.transitions.size(), 1U);
  EXPECT_EQ(world.transitions[0].reason, UnknownReason::kLeaseExpired);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnknown));
}

TEST_F(DeviceHealthTest, ReturnWithTheSameHealthIsPublishedAtOnce) {
  world.Advance(31s);
  ASSERT_EQ(world.Shown("gpu-0")->health, Health::kUnknown);
  world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy)});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
}

TEST_F(DeviceHealthTest, WhenAllDevicesExpireTheMessageBlamesTheDriver) {
  world.Advance(31s);
  EXPECT_THAT(world.Shown("gpu-0")->message, HasSubstr("probably the driver failed"));
}

TEST_F(DeviceHealthTest, WhenOneDeviceExpiresTheMessageDoesNotBlameTheDriver) {
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 5s)});
  world.Advance(6s);
  EXPECT_THAT(world.Shown("gpu-0")->message, HasSubstr("no report on this device for 5s"));
}

TEST_F(DeviceHealthTest, ExpiryKeepsTheLastKnownStateInTheMessage) {
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "Xid 79")});
  world.Advance(31s);
  EXPECT_THAT(world.Shown("gpu-0")->message, HasSubstr("it was Unhealthy: Xid 79"));
}

TEST_F(DeviceHealthTest, TheLeaseIsTheDriversOrTheDefaultOf30Seconds) {
  world.Report(plugin,
               {Says("gpu-0", Health::kHealthy, "", 120s), Says("gpu-1", Health::kHealthy)});
  world.Advance(30s);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_EQ(world.Shown("gpu-1")->health, Health::kUnknown);
}

// A driver that sends only on change and sets no lease shows Unknown after 30 s on a kubelet.
TEST(LeaseOverrideTest, TheConfiguredLeaseWinsOverTheDrivers) {
  Settings settings;
  settings.drivers[kDriver].lease = 3600s;
  World world(settings);
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 10s)});
  world.AddPod({});
  world.Advance(3599s);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  world.Advance(1s);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kUnknown);
}

TEST_F(DeviceHealthTest, TheDriversClockDoesNotAgeAnything) {
  for (const std::int64_t offset : {-3600LL, 0LL, 3600LL}) {
    DeviceReport report = Says("gpu-0", Health::kHealthy, "", 10s);
    report.last_updated = offset == 0 ? 0 : world.now().wall.time_since_epoch() / 1s + offset;
    world.Report(plugin, {report});
    world.Advance(9s);
    EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy) << offset;
  }
}

TEST_F(DeviceHealthTest, ASteppedWallClockDoesNotAgeAnything) {
  world.clock().StepWall(std::chrono::hours{5});
  world.Advance(1s);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
}

TEST_F(DeviceHealthTest, UnhealthyForAnInstantIsInTheHistoryThoughOnlyTheLastIsPublished) {
  world.hold_patches = true;
  world.Report(plugin, {Says("gpu-1", Health::kUnhealthy, "something to keep the pod busy")});
  world.patches.clear();
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "blip")});
  world.Report(plugin, {Says("gpu-0", Health::kHealthy)});
  EXPECT_TRUE(world.patches.empty());
  world.hold_patches = false;
  world.AnswerPatches();
  EXPECT_THAT(world.transitions, ElementsAre(Field(&Transition::to, Health::kUnhealthy),
                                             Field(&Transition::to, Health::kUnhealthy),
                                             Field(&Transition::to, Health::kHealthy)));
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_TRUE(world.patches.empty()) << "the pod already says the newest state";
}

TEST_F(DeviceHealthTest, AMessageThatChangesEverySecondIsPublishedAtMostOncePerInterval) {
  for (int i = 0; i < 60; ++i) {
    world.Report(plugin, {Says("gpu-0", Health::kHealthy, "temperature " + std::to_string(i)),
                          Says("gpu-1", Health::kHealthy)});
    world.Advance(1s);
  }
  EXPECT_LE(world.patches.size(), 7U);
  EXPECT_GE(world.patches.size(), 6U);
  EXPECT_TRUE(world.transitions.empty());
  world.Advance(10s);
  EXPECT_EQ(world.Shown("gpu-0")->message, "temperature 59") << "the last one is not lost";
}

TEST_F(DeviceHealthTest, AHealthChangeDoesNotWaitForTheMessageInterval) {
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "a")});
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "b")});
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "c")});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kUnhealthy);
}

TEST_F(DeviceHealthTest, TheDriverSayingUnknownIsAReasonOfItsOwn) {
  world.Report(plugin, {Says("gpu-0", Health::kUnknown)});
  ASSERT_EQ(world.transitions.size(), 1U);
  EXPECT_EQ(world.transitions[0].reason, UnknownReason::kDriverSaysSo);
  EXPECT_EQ(world.pod().condition->status.reason, "DeviceHealthUnknown");
}

TEST_F(DeviceHealthTest, TheConditionIsFalseWhenAnyIsUnhealthyElseUnknownElseTrue) {
  world.Report(plugin, {Says("gpu-0", Health::kUnknown)});
  EXPECT_THAT(world.Condition(), Optional(Health::kUnknown));
  world.Report(plugin, {Says("gpu-1", Health::kUnhealthy)});
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
  world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy)});
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
}

TEST_F(DeviceHealthTest, HeartbeatsThatChangeNothingWriteNothingButTheAliveRow) {
  world.Advance(10s);
  world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy)});
  world.writes.clear();
  for (int i = 0; i < 120; ++i) {
    world.Advance(5s);
    world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy)});
  }
  EXPECT_TRUE(world.patches.empty());
  EXPECT_LE(world.writes.size(), 61U);
  for (const StoreWrite& write : world.writes) {
    EXPECT_TRUE(std::holds_alternative<AliveRecord>(write)) << write.index();
  }
}

TEST_F(DeviceHealthTest, DevicesBeyondTheLimitOfADriverAreRefusedAndSaidOnce) {
  Settings settings;
  settings.max_devices_per_driver = 2;
  World small(settings);
  const PluginId id = small.Register();
  const std::vector<DeviceReport> three = {Says("a", Health::kHealthy), Says("b", Health::kHealthy),
                                           Says("c", Health::kHealthy)};
  small.Report(id, three);
  small.Report(id, three);
  EXPECT_EQ(small.stored().devices.size(), 2U);
  EXPECT_EQ(small.NoticesWith("beyond the limit of 2"), 1U);
}

TEST_F(DeviceHealthTest, ADeviceNobodySpeaksOfIsForgottenAfterTheRetentionTime) {
  world.Report(plugin, {Says("spare", Health::kHealthy)});
  world.Advance(std::chrono::hours{24 * 7 + 2});
  std::vector<std::string> left;
  for (const auto& device : world.stored().devices) left.push_back(device.key.device);
  EXPECT_THAT(left, testing::UnorderedElementsAre("gpu-0", "gpu-1")) << "a pod still holds those";
}

TEST_F(DeviceHealthTest, DevicesOfNoPodCountToo) {
  world.Report(plugin, {Says("spare", Health::kUnhealthy, "broken")});
  EXPECT_TRUE(world.patches.empty());
  ASSERT_EQ(world.transitions.size(), 1U);
  EXPECT_EQ(world.transitions[0].key.device, "spare");
}

}  // namespace
}  // namespace dra_health

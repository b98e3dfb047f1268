// Drivers: endpoints, authority, streams and their ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::UnorderedElementsAre;

class DriverTest : public testing::Test {
 protected:
  void SetUp() override { world.PutClaim("train-gpu", {{"req", "gpu-0"}}); }

  DriverState StateOf(const std::string& driver = kDriver) {
    for (const auto& record : world.stored().drivers) {
      if (record.name == driver) return record.state;
    }
    ADD_FAILURE() << "no record of " << driver;
    return DriverState::kGone;
  }

  World world;
};

TEST_F(DriverTest, V1IsTakenBeforeV1alpha1WhateverTheOrder) {
  world.Register(kDriver, {"v1.DRAPlugin", "v1alpha1.DRAResourceHealth", "v1.DRAResourceHealth"});
  ASSERT_EQ(world.streams_opened.size(), 1U);
  EXPECT_EQ(world.streams_opened[0].service, "v1.DRAResourceHealth");
}

TEST_F(DriverTest, ADriverWithoutTheHealthServiceIsLeftAlone) {
  world.Register(kDriver, {"v1.DRAPlugin"});
  world.AddPod({});
  world.Advance(60s);
  EXPECT_THAT(world.streams_opened, IsEmpty());
  EXPECT_EQ(StateOf(), DriverState::kUnsupported);
  EXPECT_THAT(world.patches, IsEmpty()) << "its pods get neither field nor condition";
}

// Drivers for kubelets of 1.36 answer the service without advertising it.
TEST_F(DriverTest, AnUnadvertisedServiceIsProbedOnceWhereConfigured) {
  Settings settings;
  settings.drivers[kDriver].probe = true;
  World probing(settings);
  const PluginId id = probing.Register(kDriver, {"v1.DRAPlugin"});
  ASSERT_EQ(probing.streams_opened.size(), 1U);
  probing.EndStream(id, "UNIMPLEMENTED: unknown service", true);
  probing.EndStream(id, "UNIMPLEMENTED: unknown service", true);
  probing.Advance(600s);
  EXPECT_EQ(probing.streams_opened.size(), 2U) << "v1 once, v1alpha1 once";
}

// #141855: a kubelet of 1.36 retries every 5 s for ever.
TEST_F(DriverTest, UnimplementedIsFinalUntilTheDriverRegistersAgain) {
  const PluginId id = world.Register();
  world.EndStream(id, "UNIMPLEMENTED: unknown service", true);
  world.Advance(3600s);
  EXPECT_EQ(world.streams_opened.size(), 1U);
  EXPECT_EQ(world.NoticesWith("does not implement"), 1U);
  EXPECT_EQ(StateOf(), DriverState::kUnsupported);
  world.Deregister(id);
  world.Register();
  EXPECT_EQ(world.streams_opened.size(), 2U);
}

TEST_F(DriverTest, UnimplementedV1FallsBackToAnAdvertisedV1alpha1) {
  const PluginId id =
      world.Register(kDriver, {"v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"});
  world.EndStream(id, "UNIMPLEMENTED: unknown service", true);
  ASSERT_EQ(world.streams_opened.size(), 2U);
  EXPECT_EQ(world.streams_opened[1].service, "v1alpha1.DRAResourceHealth");
}

TEST_F(DriverTest, ADriverThatIsOffIsNotWatchedAndItsPodsAreLeftAlone) {
  Settings settings;
  settings.drivers[kDriver].watch = false;
  World off(settings);
  off.PutClaim("train-gpu", {{"req", "gpu-0"}});
  off.Register();
  off.AddPod({});
  off.Advance(60s);
  EXPECT_THAT(off.streams_opened, IsEmpty());
  EXPECT_THAT(off.patches, IsEmpty());
}

TEST_F(DriverTest, AStreamThatEndsIsReopenedWithGrowingDelays) {
  const PluginId id = world.Register();
  for (int i = 0; i < 20; ++i) {
    world.EndStream(id);
    EXPECT_TRUE(world.open_streams().empty()) << "a bare retry loop would spin";
    world.Advance(2s);
    EXPECT_THAT(world.open_streams(), UnorderedElementsAre(id));
  }
  EXPECT_EQ(world.NoticesWith("ended, retrying"), 1U) << "the same reason is said once";
}

TEST_F(DriverTest, WhyADriverCannotBeReachedIsStored) {
  const PluginId id = world.Register();
  world.EndStream(id, "UNAVAILABLE: no such file");
  ASSERT_EQ(world.stored().drivers.size(), 1U);
  EXPECT_EQ(world.stored().drivers[0].last_error, "UNAVAILABLE: no such file");
}

TEST_F(DriverTest, TheEndOfAStreamIsNoNewsAboutADevice) {
  const PluginId id = world.Register();
  world.Report(id, {Says("gpu-0", Health::kHealthy)});
  world.AddPod({});
  world.patches.clear();
  world.EndStream(id);
  world.Advance(20s);
  world.Report(id, {Says("gpu-0", Health::kHealthy)});
  EXPECT_THAT(world.patches, IsEmpty());
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
}

TEST_F(DriverTest, ADriverThatDiesEveryFiveSecondsDoesNotBlinkAndIsCounted) {
  PluginId id = world.Register();
  world.Report(id, {Says("gpu-0", Health::kHealthy)});
  world.AddPod({});
  world.patches.clear();
  for (int i = 0; i < 60; ++i) {
    world.Advance(5s);
    world.EndStream(id);
    world.Advance(3s);
    world.Report(id, {Says("gpu-0", Health::kHealthy)});
  }
  EXPECT_THAT(world.patches, IsEmpty());
  ASSERT_EQ(world.stored().drivers.size(), 1U);
  EXPECT_GE(world.stored().drivers[0].streams_ended, 59);
  EXPECT_EQ(world.NoticesWith("ended, retrying"), 1U);
}

TEST_F(DriverTest, AStreamWithoutReportsIsNotHealthy) {
  const PluginId id = world.Register();
  world.Send(event::StreamOpened{id});
  EXPECT_EQ(StateOf(), DriverState::kNoData);
  world.Report(id, {});
  EXPECT_EQ(StateOf(), DriverState::kNoData) << "an empty list is no data";
  world.AddPod({});
  world.Advance(11s);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnknown));
  EXPECT_THAT(world.Shown("gpu-0")->message, HasSubstr("has not reported on this device"));
}

// A Go server sends its headers only with the first message.
TEST_F(DriverTest, AStreamThatNeverSendsAnythingIsConnectedWithoutData) {
  world.Register();
  EXPECT_EQ(StateOf(), DriverState::kConnecting);
  world.Advance(10s);
  EXPECT_EQ(StateOf(), DriverState::kNoData);
}

TEST_F(DriverTest, OneReportAndThenSilenceBecomesUnknown) {
  const PluginId id = world.Register();
  world.Report(id, {Says("gpu-0", Health::kHealthy)});
  world.AddPod({});
  EXPECT_EQ(StateOf(), DriverState::kStreaming);
  world.Advance(31s);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnknown));
}

TEST_F(DriverTest, NoAlarmWhileTheFirstReportIsOnItsWay) {
  world.AddPod({});
  const PluginId id = world.Register();
  world.Advance(9s);
  EXPECT_THAT(world.patches, IsEmpty());
  world.Report(id, {Says("gpu-0", Health::kHealthy)});
  ASSERT_EQ(world.patches.size(), 1U);
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
}

TEST_F(DriverTest, ADriverThatDeregisteredShowsUnknownOnlyAfterTheLease) {
  const PluginId id = world.Register();
  world.Report(id, {Says("gpu-0", Health::kHealthy)});
  world.AddPod({});
  world.Deregister(id);
  EXPECT_EQ(StateOf(), DriverState::kGone);
  world.Advance(29s);
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
  world.Advance(2s);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnknown));
  EXPECT_EQ(world.transitions.back().reason, UnknownReason::kDriverGone);
}

// #140818: in a rolling update the old and the new endpoint overwrote each other.
class RollingUpdateTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    older = world.Register();
    world.Report(older, {Says("gpu-0", Health::kHealthy)});
    world.AddPod({});
    newer = world.Register();
    world.patches.clear();
    world.transitions.clear();
  }
  PluginId older = 0;
  PluginId newer = 0;
};

TEST_F(RollingUpdateTest, TheOldEndpointCountsUntilTheNewOneHasReported) {
  world.Report(older, {Says("gpu-0", Health::kUnhealthy)});
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
}

TEST_F(RollingUpdateTest, AnEmptyReportGivesTheNewOneNoAuthority) {
  world.Report(newer, {});
  world.Report(older, {Says("gpu-0", Health::kUnhealthy)});
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
}

TEST_F(RollingUpdateTest, OnceTheNewOneHasReportedTheOldChangesNothing) {
  world.Report(newer, {Says("gpu-0", Health::kHealthy)});
  for (int i = 0; i < 10; ++i) {
    world.Report(older, {Says("gpu-0", Health::kUnhealthy)});
    world.Report(newer, {Says("gpu-0", Health::kHealthy)});
    world.Advance(5s);
  }
  world.Deregister(older);
  EXPECT_THAT(world.patches, IsEmpty());
  EXPECT_THAT(world.transitions, IsEmpty());
}

TEST_F(RollingUpdateTest, WhenTheNewOneDiesTheOldTakesOverAndIsAskedAnew) {
  world.Report(newer, {Says("gpu-0", Health::kHealthy)});
  world.Report(older, {Says("gpu-0", Health::kUnhealthy)});  // ignored now
  const std::size_t opened = world.streams_opened.size();
  world.Deregister(newer);
  ASSERT_EQ(world.streams_opened.size(), opened + 1);
  EXPECT_EQ(world.streams_opened.back().id, older) << "a new stream makes it say all again";
  world.Report(older, {Says("gpu-0", Health::kUnhealthy)});
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
}

TEST_F(RollingUpdateTest, AReportAfterDeregistrationIsNotHeard) {
  world.Report(newer, {Says("gpu-0", Health::kHealthy)});
  world.hold_patches = true;
  world.Deregister(older);
  world.Report(older, {Says("gpu-0", Health::kUnhealthy)});
  EXPECT_THAT(world.transitions, IsEmpty());
}

TEST_F(DriverTest, ADriverThatBeginsToOfferHealthReachesPodsThatRan) {
  const PluginId id = world.Register(kDriver, {"v1.DRAPlugin"});
  world.AddPod({});
  world.Advance(60s);
  ASSERT_THAT(world.patches, IsEmpty());
  world.Deregister(id);
  const PluginId upgraded = world.Register();
  world.Report(upgraded, {Says("gpu-0", Health::kHealthy)});
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
}

TEST_F(DriverTest, ADriverThatCeasesToOfferHealthGivesItsPodsBack) {
  const PluginId id = world.Register();
  world.Report(id, {Says("gpu-0", Health::kHealthy)});
  world.AddPod({});
  ASSERT_THAT(world.Condition(), Optional(Health::kHealthy));
  world.Deregister(id);
  world.Register(kDriver, {"v1.DRAPlugin"});
  EXPECT_FALSE(world.Condition()) << "a value nobody renews would stand for ever";
  EXPECT_FALSE(world.Shown("gpu-0"));
}

TEST(DriverOfferTest, ADriverThatBeginsToOfferHealthGetsItsGrace) {
  World world;
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  const PluginId old = world.Register(kDriver, {"v1.DRAPlugin"});
  world.AddPod({});
  world.Deregister(old);
  world.Register();
  world.Advance(5s);
  EXPECT_FALSE(world.Condition());
  world.Advance(30s);
  ASSERT_TRUE(world.Shown("gpu-0"));
  EXPECT_THAT(world.Shown("gpu-0")->message, testing::Not(testing::HasSubstr("1970")));
}

}  // namespace
}  // namespace dra_health

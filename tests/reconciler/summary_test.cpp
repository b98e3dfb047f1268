// What the reconciler tells of itself in numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;

class SummaryTest : public testing::Test {
 protected:
  Summary Now() { return world.reconciler().Summarize(world.now().boot); }
  DriverSummary Driver() { return Now().drivers[kDriver]; }

  World world;
};

TEST_F(SummaryTest, InTheBeginningThereIsNothing) {
  EXPECT_THAT(Now().drivers, IsEmpty());
  EXPECT_EQ(Now().pods.by_field.at(FieldState::kOwn), 0U) << "a series that is always there";
}

TEST_F(SummaryTest, DevicesAreCountedByHealth) {
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy),
                        Says("gpu-2", Health::kUnhealthy)});
  EXPECT_THAT(Driver().devices.by_health,
              ElementsAre(Pair(Health::kHealthy, 2), Pair(Health::kUnhealthy, 1)));
  EXPECT_THAT(Driver().state, Optional(DriverState::kStreaming));
}

TEST_F(SummaryTest, TheLeaseMarginIsThatOfTheFirstLeaseToEnd) {
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 60s)});
  world.Advance(20s);
  world.Report(plugin, {Says("gpu-1", Health::kHealthy, "", 60s)});
  EXPECT_THAT(Driver().devices.lease_margin, Optional(40s));
  world.Advance(40s);
  EXPECT_THAT(Driver().devices.lease_margin, Optional(20s)) << "the other one has ended";
  world.Advance(20s);
  EXPECT_EQ(Driver().devices.lease_margin, std::nullopt);
}

TEST_F(SummaryTest, ASilentDriversDevicesAreStaleUntilItSpeaks) {
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy)});
  EXPECT_EQ(Driver().devices.stale, 0U);
  world.Advance(31s);
  EXPECT_EQ(Driver().devices.stale, 2U);
  world.Report(plugin, {Says("gpu-0", Health::kUnknown)});
  EXPECT_EQ(Driver().devices.stale, 1U) << "Unknown is a report";
}

TEST_F(SummaryTest, OfADriverThatIsGoneOnlyWhatAPodHoldsIsStale) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  world.AddPod({});
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy), Says("gpu-1", Health::kHealthy)});
  world.Deregister(plugin);
  world.Advance(31s);
  EXPECT_THAT(Driver().state, Optional(DriverState::kGone));
  EXPECT_EQ(Driver().devices.stale, 1U);
  world.DeletePod("uid-train");
  EXPECT_EQ(Driver().devices.stale, 0U) << "a driver may be taken off a node";
}

TEST_F(SummaryTest, ADriverWithoutAHealthServiceIsNotStale) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  world.AddPod({});
  world.Register(kDriver, {"v1.DRAPlugin"});
  EXPECT_THAT(Driver().state, Optional(DriverState::kUnsupported));
  EXPECT_EQ(Driver().devices.stale, 0U);
}

TEST_F(SummaryTest, StreamsAreCounted) {
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy)});
  world.EndStream(plugin);
  EXPECT_EQ(Driver().streams_opened, 1);
  EXPECT_EQ(Driver().streams_ended, 1);
}

TEST_F(SummaryTest, PodsAreCountedByTheStateOfTheirField) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy)});
  world.hold_patches = true;
  world.AddPod({});
  EXPECT_EQ(Now().pods.by_field.at(FieldState::kPending), 1U);
  EXPECT_EQ(Now().pods.patches_in_flight, 1U);
  world.AnswerPatches();
  EXPECT_EQ(Now().pods.by_field.at(FieldState::kOwn), 1U);
  EXPECT_EQ(Now().pods.patches_in_flight, 0U);
}

TEST_F(SummaryTest, APodThatHasEndedHoldsNothing) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  world.Report(world.Register(), {Says("gpu-0", Health::kHealthy)});
  world.AddPod({});
  world.ChangePod("uid-train", [](Pod& pod) { pod.ended = true; });
  EXPECT_EQ(Now().pods.by_field.at(FieldState::kOwn), 0U);
}

TEST_F(SummaryTest, RevertsAreCountedAlsoOfPodsThatAreGone) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 86400s)});
  world.AddPod({});
  world.RevertField();
  world.RevertField();
  EXPECT_EQ(Now().pods.reverts, 2U);
  EXPECT_EQ(Now().pods.by_field.at(FieldState::kContested), 1U);
  world.DeletePod("uid-train");
  EXPECT_EQ(Now().pods.reverts, 2U);
}

class LatencyTest : public SummaryTest {
 protected:
  void SetUp() override {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}});
    plugin = world.Register();
    Say(Health::kHealthy);
    world.AddPod({});
  }
  void Say(Health health, const std::string& message = "") {
    world.Report(plugin, {Says("gpu-0", health, message, 86400s)});
  }

  PluginId plugin = 0;
};

TEST_F(LatencyTest, TheFirstPublicationOfAPodIsNoChange) {
  EXPECT_THAT(world.patches, testing::SizeIs(1));
  EXPECT_THAT(world.latencies, IsEmpty());
}

TEST_F(LatencyTest, ItCountsFromTheReportToTheAnswer) {
  world.hold_patches = true;
  Say(Health::kUnhealthy);
  world.Advance(3s);
  world.AnswerPatches();
  EXPECT_THAT(world.latencies, ElementsAre(3s));
}

TEST_F(LatencyTest, AFailedPatchCountsUntilOneSucceeds) {
  world.answer_instead = [](const PodPatch& patch) {
    event::PatchDone done;
    done.uid = patch.pod->uid;
    done.retry_after = 5s;
    return done;
  };
  Say(Health::kUnhealthy);
  world.answer_instead = nullptr;
  EXPECT_THAT(world.latencies, IsEmpty());
  world.Advance(6s);
  EXPECT_THAT(world.latencies, ElementsAre(5s));
}

TEST_F(LatencyTest, WhatComesWhileAPatchIsUnderWayIsMeasuredByItself) {
  world.hold_patches = true;
  Say(Health::kUnhealthy);
  world.Advance(2s);
  Say(Health::kHealthy);
  world.hold_patches = false;
  world.AnswerPatches();
  EXPECT_THAT(world.latencies, ElementsAre(2s, 0s));
}

TEST_F(LatencyTest, AChangeThatWasTakenBackBeforeItCouldBeSentIsNone) {
  world.hold_patches = true;
  Say(Health::kUnhealthy);
  Say(Health::kHealthy);
  Say(Health::kUnhealthy);
  world.hold_patches = false;
  world.AnswerPatches();
  world.Advance(60s);
  Say(Health::kHealthy);
  EXPECT_THAT(world.latencies, ElementsAre(0s, 0s)) << "not the minute since the one taken back";
}

TEST_F(LatencyTest, AMessageThatWaitsForItsTurnIsNotMeasured) {
  Say(Health::kHealthy, "warm");
  Say(Health::kHealthy, "hot");
  world.Advance(11s);
  EXPECT_THAT(world.patches, testing::SizeIs(2));
  EXPECT_THAT(world.latencies, IsEmpty());
}

}  // namespace
}  // namespace dra_health

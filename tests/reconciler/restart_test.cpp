// A restart of the agent: state is read back, and nobody is alarmed (#60176).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

class RestartTest : public testing::Test {
 protected:
  void SetUp() override {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}});
    plugin = world.Register();
    world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "Xid 79", 40s)});
    world.AddPod({});
    world.patches.clear();
    world.transitions.clear();
  }

  World world;
  PluginId plugin = 0;
};

TEST_F(RestartTest, NothingIsSentAndNothingChangesWhenTheDriverGoesOn) {
  world.Restart();
  plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "Xid 79", 40s)});
  world.Advance(30s);
  EXPECT_THAT(world.patches, IsEmpty());
  EXPECT_THAT(world.transitions, IsEmpty());
}

TEST_F(RestartTest, ADeviceLivesForWhatIsLeftOfItsLeaseSinceTheLastSignOfLife) {
  world.Restart();  // the last sign of life is at most 10 s old
  world.Advance(29s);
  EXPECT_THAT(world.transitions, IsEmpty());
  world.Advance(12s);
  ASSERT_THAT(world.transitions, SizeIs(1));
  EXPECT_EQ(world.transitions[0].reason, UnknownReason::kDriverGone);
}

TEST_F(RestartTest, AfterALongAbsenceADeviceStillLivesTenSeconds) {
  world.clock().Advance(3600s);  // the agent is down: no ticks
  world.Restart();
  world.Advance(9999ms);
  EXPECT_THAT(world.transitions, IsEmpty());
  world.Advance(1ms);
  EXPECT_THAT(world.transitions, SizeIs(1));
}

TEST_F(RestartTest, AChangeMissedWhileDownIsOneTransition) {
  world.Restart();
  plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 40s)});
  ASSERT_THAT(world.transitions, SizeIs(1));
  EXPECT_EQ(world.transitions[0].from, Health::kUnhealthy);
  EXPECT_THAT(world.patches, SizeIs(1));
}

TEST_F(RestartTest, AnExpiredDeviceStaysUnknownWithItsReason) {
  world.Advance(41s);
  world.transitions.clear();
  world.Restart();
  world.Advance(60s);
  EXPECT_THAT(world.transitions, IsEmpty());
  EXPECT_THAT(world.Condition(), Optional(Health::kUnknown));
}

TEST_F(RestartTest, PodsThatWentMeanwhileAreClosedInTheRecord) {
  World other;
  other.PutClaim("train-gpu", {{"req", "gpu-0"}});
  const PluginId id = other.Register();
  other.Report(id, {Says("gpu-0", Health::kHealthy)});
  other.AddPod({});
  ASSERT_THAT(other.stored().pods, SizeIs(1));
  other.ForgetPodSilently("uid-train");
  other.Restart();
  EXPECT_THAT(other.stored().pods, IsEmpty());
  EXPECT_THAT(other.stored().allocations, IsEmpty());
}

TEST_F(RestartTest, AClaimThatCannotBeReadJustNowTakesNothingAway) {
  world.claim_error = Error{ErrorKind::kRetry, "503 Service Unavailable"};
  world.Restart();
  world.Advance(20s);
  EXPECT_THAT(world.patches, IsEmpty());
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
}

TEST_F(RestartTest, ADriverThatIsNotBackYetStillCountsAsOfferingHealth) {
  world.Restart();
  world.Advance(20s);
  EXPECT_THAT(world.patches, IsEmpty()) << "its pods keep what they say until the lease ends";
}

}  // namespace
}  // namespace dra_health

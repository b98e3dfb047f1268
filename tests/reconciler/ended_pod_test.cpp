// What a pod that has ended still says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

class EndedPodTest : public testing::Test {
 protected:
  void SetUp() override {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}});
    plugin = world.Register();
    Report(Health::kHealthy);
    world.AddPod({});
  }
  void Report(Health health, std::chrono::seconds lease = 86400s) {
    world.Report(plugin, {Says("gpu-0", health, "", lease)});
  }
  void End() {
    world.ChangePod("uid-train", [](Pod& pod) { pod.ended = true; });
  }
  void ExpectShown(Health health) {
    EXPECT_EQ(world.Shown("gpu-0")->health, health);
    EXPECT_THAT(world.Condition(), Optional(health));
  }

  World world;
  PluginId plugin = 0;
};

TEST_F(EndedPodTest, KeepsTheLastHealthWhenTheDriverFallsSilent) {
  Report(Health::kUnhealthy, 10s);
  End();
  world.patches.clear();
  world.Advance(3600s);
  EXPECT_THAT(world.transitions.back().to, Health::kUnknown) << "of the device";
  ExpectShown(Health::kUnhealthy);
  EXPECT_THAT(world.patches, IsEmpty());
}

TEST_F(EndedPodTest, AReportWithinAMinuteStillCounts) {
  End();
  world.Advance(59s);
  Report(Health::kUnhealthy);
  ExpectShown(Health::kUnhealthy);
}

TEST_F(EndedPodTest, ARecoveryDoesNotHideTheFaultThatItEndedWith) {
  Report(Health::kUnhealthy);
  End();
  world.Advance(10s);
  Report(Health::kHealthy);
  ExpectShown(Health::kUnhealthy);
  world.Restart();
  plugin = world.Register();
  Report(Health::kHealthy);
  world.Advance(60s);
  ExpectShown(Health::kUnhealthy);
}

TEST_F(EndedPodTest, AReportThatIsLateByALeaseStillCounts) {
  Report(Health::kHealthy, 5s);
  world.Advance(6s);
  ExpectShown(Health::kUnknown);
  End();
  Report(Health::kHealthy);
  ExpectShown(Health::kHealthy);
}

TEST_F(EndedPodTest, ALaterReportIsNoneOfItsBusiness) {
  End();
  world.Advance(61s);
  Report(Health::kUnhealthy);
  world.Advance(60s);
  ExpectShown(Health::kHealthy);
  EXPECT_THAT(world.patches, SizeIs(1));
}

TEST_F(EndedPodTest, AReportAfterTheDeviceHasANewOwnerIsTheNewOwners) {
  End();
  world.PutClaim("next-gpu", {{"req", "gpu-0"}});
  world.AddPod({"next", "uid-next", {{"gpu", "next-gpu"}}});
  Report(Health::kUnhealthy);
  ExpectShown(Health::kHealthy);
  EXPECT_THAT(world.Condition("uid-next"), Optional(Health::kUnhealthy));
}

// A pod with two devices that ends; then another gets the first of them.
class EndedPairTest : public EndedPodTest {
 protected:
  void SetUp() override {
    EndedPodTest::SetUp();
    world.PutClaim("two-gpus", {{"req", "gpu-1"}, {"req", "gpu-2"}});
    Report(Health::kHealthy, Health::kHealthy);
    world.AddPod({"two", "uid-two", {{"gpu", "two-gpus"}}});
  }
  void Report(Health first, Health second, std::chrono::seconds lease = 86400s) {
    world.Report(plugin, {Says("gpu-1", first, "", lease), Says("gpu-2", second, "", lease)});
  }
  void End() {
    world.ChangePod("uid-two", [](Pod& pod) { pod.ended = true; });
  }
  void Release() {
    Claim released;
    released.name = "two-gpus";
    world.PutClaim(std::move(released));
  }
  void AddNextOwner() {
    world.PutClaim("next-gpu", {{"req", "gpu-1"}});
    world.AddPod({"next", "uid-next", {{"gpu", "next-gpu"}}});
  }
  void Restart() {
    world.Restart();
    plugin = world.Register();
  }
  void ExpectShown(Health first, Health second, Health condition) {
    EXPECT_EQ(world.Shown("gpu-1", "uid-two")->health, first);
    EXPECT_EQ(world.Shown("gpu-2", "uid-two")->health, second);
    EXPECT_THAT(world.Condition("uid-two"), Optional(condition));
  }
};

TEST_F(EndedPairTest, ANewOwnerOfOneDeviceTakesNothingFromTheOther) {
  End();
  AddNextOwner();
  Report(Health::kUnhealthy, Health::kUnhealthy);
  ExpectShown(Health::kHealthy, Health::kUnhealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, NorDoesItOverARestart) {
  End();
  AddNextOwner();
  Report(Health::kUnknown, Health::kHealthy);
  Restart();
  Report(Health::kUnhealthy, Health::kUnhealthy);
  ExpectShown(Health::kHealthy, Health::kUnhealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, NorDoesItOfADeviceOfWhichNobodyHadSpokenSince) {
  Report(Health::kHealthy, Health::kHealthy, 10s);
  End();
  world.Advance(11s);
  AddNextOwner();
  Report(Health::kUnhealthy, Health::kUnhealthy);
  ExpectShown(Health::kHealthy, Health::kUnhealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, ADeviceThatFallsSilentTakesNothingFromTheOther) {
  Report(Health::kHealthy, Health::kHealthy, 10s);
  End();
  world.Advance(11s);
  world.Report(plugin, {Says("gpu-2", Health::kUnhealthy)});
  ExpectShown(Health::kHealthy, Health::kUnhealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, AFaultTakesNothingFromTheOtherOverARestart) {
  Report(Health::kUnhealthy, Health::kHealthy);
  End();
  Restart();
  Report(Health::kHealthy, Health::kUnhealthy);
  ExpectShown(Health::kUnhealthy, Health::kUnhealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, LateReportsCountOverARestartAlthoughItsClaimsAreReleased) {
  End();
  Release();
  Restart();
  AddNextOwner();
  Report(Health::kUnhealthy, Health::kUnhealthy);
  ExpectShown(Health::kHealthy, Health::kUnhealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, WhereItEndedWithoutAnAgentItSaysWhatWasKnown) {
  world.ChangePodUnseen("uid-two", [](Pod& pod) { pod.ended = true; });
  Release();
  world.clock().Advance(30s);
  Restart();
  ExpectShown(Health::kHealthy, Health::kHealthy, Health::kHealthy);
  Report(Health::kHealthy, Health::kUnhealthy);
  ExpectShown(Health::kHealthy, Health::kUnhealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, WhatCountedIsSaidByALaterAgent) {
  End();
  world.hold_patches = true;
  Report(Health::kUnhealthy, Health::kHealthy);
  world.clock().Advance(600s);
  world.hold_patches = false;
  Restart();
  ExpectShown(Health::kUnhealthy, Health::kHealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, WhereItEndedLongBeforeTheAgentNoReportCounts) {
  world.ChangePodUnseen("uid-two", [&](Pod& pod) {
    pod.ended = true;
    pod.statuses[0].runs = {{.ended = world.now().wall, .exit_code = 1, .reason = "Error"}};
  });
  world.clock().Advance(61s);
  Restart();
  Report(Health::kHealthy, Health::kUnhealthy);
  world.Advance(60s);
  ExpectShown(Health::kHealthy, Health::kHealthy, Health::kHealthy);
}

TEST_F(EndedPairTest, AReportBeforeTheNewOwnersClaimIsReadIsTheNewOwners) {
  End();
  world.claim_error = Error{ErrorKind::kRetry, "connection refused"};
  AddNextOwner();
  Report(Health::kUnhealthy, Health::kUnhealthy);
  Report(Health::kUnhealthy, Health::kHealthy);
  world.claim_error.reset();
  world.Advance(61s);
  ExpectShown(Health::kHealthy, Health::kUnhealthy, Health::kUnhealthy);
  EXPECT_THAT(world.Condition("uid-next"), Optional(Health::kUnhealthy));
}

TEST_F(EndedPairTest, ALateFaultStays) {
  End();
  Report(Health::kUnhealthy, Health::kHealthy);
  Report(Health::kHealthy, Health::kHealthy);
  ExpectShown(Health::kUnhealthy, Health::kHealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, NothingIsSaidOfADeviceWhereNothingButTheNewOwnerIsKnown) {
  AddNextOwner();
  world.PutClaim("over-gpu", {{"req", "gpu-1"}});
  Pod pod = World::MakePod({"over", "uid-over", {{"gpu", "over-gpu"}}});
  pod.ended = true;
  world.PutPod(std::move(pod));
  world.Advance(120s);
  EXPECT_FALSE(world.Condition("uid-over"));
}

TEST_F(EndedPairTest, StaysAsItIsWhereTheStoreKnowsNothingOfIt) {
  Report(Health::kUnhealthy, Health::kHealthy);
  End();
  world.ReplaceStore({});
  Restart();
  Report(Health::kHealthy, Health::kHealthy);
  world.Advance(60s);
  ExpectShown(Health::kUnhealthy, Health::kHealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, StaysAsItIsWhereTheStoreIsOlder) {
  End();
  const StoredState older = world.stored();
  Report(Health::kUnhealthy, Health::kHealthy);
  world.ReplaceStore(older);
  Restart();
  world.Advance(60s);
  Restart();
  ExpectShown(Health::kUnhealthy, Health::kHealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, ALaterAgentDoesNotContestWhatIsSaid) {
  End();
  world.RevertField("uid-two");
  world.Advance(600s);
  world.RevertField("uid-two");
  world.patches.clear();
  Restart();
  world.Advance(600s);
  EXPECT_THAT(world.patches, IsEmpty());
}

TEST_F(EndedPairTest, AnotherSharerIsNoNewOwnerOverARestart) {
  AddNextOwner();
  End();
  Restart();
  Report(Health::kUnhealthy, Health::kHealthy);
  ExpectShown(Health::kUnhealthy, Health::kHealthy, Health::kUnhealthy);
}

TEST_F(EndedPairTest, KeepsItsHealthWhenItsDriverOffersNoneAnyMore) {
  End();
  Settings off;
  off.drivers[kDriver].watch = false;
  world.Restart(off);
  world.Register();
  world.Advance(60s);
  ExpectShown(Health::kHealthy, Health::kHealthy, Health::kHealthy);
}

TEST_F(EndedPairTest, ItsReleasedClaimsAreNotReadForEver) {
  world.DeletePod("uid-two");
  Release();
  Pod pod = World::MakePod({"over", "uid-over", {{"gpu", "two-gpus"}}});
  pod.ended = true;
  world.PutPod(std::move(pod));
  world.Advance(120s);
  world.claim_reads = 0;
  world.Advance(3600s);
  EXPECT_EQ(world.claim_reads, 0);
}

TEST_F(EndedPodTest, AnotherSharerOfTheDeviceIsNoNewOwner) {
  world.PutClaim("sharer-gpu", {{"req", "gpu-0"}});
  world.AddPod({"sharer", "uid-sharer", {{"gpu", "sharer-gpu"}}});
  End();
  Report(Health::kUnhealthy);
  ExpectShown(Health::kUnhealthy);
}

TEST_F(EndedPodTest, TheWindowGoesOnOverARestart) {
  End();
  world.Advance(30s);
  world.Restart();
  plugin = world.Register();
  Report(Health::kUnhealthy);
  ExpectShown(Health::kUnhealthy);
  world.Advance(31s);
  world.Restart();
  plugin = world.Register();
  Report(Health::kHealthy);
  world.Advance(60s);
  ExpectShown(Health::kUnhealthy);
}

TEST_F(EndedPodTest, TheNewOwnerIsKnownAfterARestartWhoeverIsLookedAtFirst) {
  End();
  world.PutClaim("next-gpu", {{"req", "gpu-0"}});
  world.AddPod({"next", "uid-next", {{"gpu", "next-gpu"}}});  // read before uid-train
  Report(Health::kUnhealthy);
  world.Restart();
  plugin = world.Register();
  Report(Health::kUnhealthy);
  ExpectShown(Health::kHealthy);
  EXPECT_THAT(world.Condition("uid-next"), Optional(Health::kUnhealthy));
}

TEST_F(EndedPodTest, AFaultIsOneAlsoWhereItsClaimsAreReadAfterItsEnd) {
  world.PutClaim("late-gpu", {{"req", "gpu-1"}});
  world.Report(plugin, {Says("gpu-1", Health::kUnhealthy)});
  world.claim_error = Error{ErrorKind::kRetry, "connection refused"};
  world.AddPod({"late", "uid-late", {{"gpu", "late-gpu"}}});
  world.ChangePod("uid-late", [](Pod& pod) { pod.ended = true; });
  world.claim_error.reset();
  world.Advance(2s);
  world.Report(plugin, {Says("gpu-1", Health::kHealthy)});
  EXPECT_THAT(world.Condition("uid-late"), Optional(Health::kUnhealthy));
}

TEST_F(EndedPodTest, ALateReportCountsWhileThereIsNoRoomToSayIt) {
  Settings settings;
  settings.max_patches_in_flight = 1;
  world.Restart(settings);
  plugin = world.Register();
  Report(Health::kHealthy);
  world.hold_patches = true;
  world.PutClaim("other-gpu", {{"req", "gpu-1"}});
  world.Report(plugin, {Says("gpu-1", Health::kUnhealthy)});
  world.AddPod({"other", "uid-other", {{"gpu", "other-gpu"}}});
  End();
  Report(Health::kUnhealthy);
  world.Advance(61s);
  world.hold_patches = false;
  world.AnswerPatches();
  ExpectShown(Health::kUnhealthy);
}

TEST_F(EndedPodTest, ADeviceWhoseDriverIsTurnedOffHasNoFault) {
  const std::string nic = "nic.example.com";
  world.PutClaim("both-nic", {{"req", "nic-0"}}, nic);
  Report(Health::kUnhealthy);
  world.AddPod({"both", "uid-both", {{"gpu", "train-gpu"}, {"nic", "both-nic"}}});
  Settings off;
  off.drivers[kDriver].watch = false;
  world.Restart(off);
  world.Register();
  world.Report(world.Register(nic), {Says("nic-0", Health::kHealthy)});
  world.ChangePod("uid-both", [](Pod& pod) { pod.ended = true; });
  EXPECT_EQ(world.Shown("gpu-0", "uid-both")->health, Health::kUnknown);
  EXPECT_THAT(world.Condition("uid-both"), Optional(Health::kHealthy));
}

TEST_F(EndedPodTest, ItsFieldIsNotTakenWhereNoneShallBeHeld) {
  Settings none;
  none.hold = HoldPods::kNone;
  world.Restart(none);
  plugin = world.Register();
  world.PutClaim("over-gpu", {{"req", "gpu-1"}});
  Pod pod = World::MakePod({"over", "uid-over", {{"gpu", "over-gpu"}}});
  pod.ended = true;
  world.PutPod(std::move(pod));
  world.Report(plugin, {Says("gpu-1", Health::kUnhealthy)});
  EXPECT_FALSE(world.Shown("gpu-1", "uid-over"));
  EXPECT_THAT(world.Condition("uid-over"), Optional(Health::kUnhealthy));
}

TEST_F(EndedPodTest, ItsEndStandsInTheStoreOnce) {
  End();
  const auto ended = world.stored().pods[0].ended;
  ASSERT_TRUE(ended);
  world.Advance(30s);
  world.Restart();
  EXPECT_EQ(world.stored().pods[0].ended, ended);
}

TEST(EndedPodWindowTest, IsASetting) {
  Settings settings;
  settings.late_report_window = 0s;
  World world(settings);
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 86400s)});
  world.AddPod({});
  world.ChangePod("uid-train", [](Pod& pod) { pod.ended = true; });
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "", 86400s)});
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
}

}  // namespace
}  // namespace dra_health

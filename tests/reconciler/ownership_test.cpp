// Who holds the field of a pod: beside a kubelet that writes it too, with and without a guard.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

const std::string kGpu0 = ResourceId({kDriver, kPool, "gpu-0"});

Settings Publishing(PublishMode mode) {
  Settings settings;
  settings.publish = mode;
  return settings;
}

// A pod with one device, beside a kubelet with its gate on.
class OwnershipTest : public testing::Test {
 protected:
  explicit OwnershipTest(const Settings& settings = {}) : world(settings) {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}});
    plugin = world.Register();
    Report(Health::kHealthy);
  }

  void Report(Health health, const std::string& message = "") {
    world.Report(plugin, {Says("gpu-0", health, message, 86400s)});
  }
  // The kubelet was first: its entries are there before the agent has seen the pod.
  void AddPodOfKubelet(Health health, const std::string& id = kGpu0) {
    Pod pod = World::MakePod({});
    pod.statuses[0].claim_entries = {{"claim:gpu", {{id, health, ""}}}};
    world.PutPod(std::move(pod));
  }
  // So many seconds of a kubelet that writes its own view back at each tick of 10 s.
  void KubeletInsists(int seconds, Health health) {
    for (int second = 0; second < seconds; ++second) {
      const auto shown = world.Shown("gpu-0");
      if (second % 10 == 9 && (!shown || shown->health != health)) {
        world.KubeletWrites({{kGpu0, health, ""}});
      }
      world.Advance(1s);
    }
  }
  std::size_t PatchesOfTheField() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        world.patches, [](const PodPatch& patch) { return !patch.want.containers.empty(); }));
  }

  World world;
  PluginId plugin = 0;
};

TEST_F(OwnershipTest, WhereNobodyWritesTheFieldItIsOurs) {
  world.AddPod({});
  EXPECT_EQ(world.Field(), FieldState::kOwn);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_EQ(world.NoticesWith("default/train is"), 0U);
}

TEST_F(OwnershipTest, EntriesOfAKubeletThatSaysTheSameAreLeftToIt) {
  AddPodOfKubelet(Health::kHealthy);
  world.Advance(3600s);
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
  EXPECT_THAT(world.patches, SizeIs(1)) << "the condition";
  EXPECT_EQ(PatchesOfTheField(), 0U);
}

TEST_F(OwnershipTest, AKubeletThatFollowsKeepsTheField) {
  AddPodOfKubelet(Health::kHealthy);
  for (int i = 0; i < 20; ++i) {
    const Health health = i % 2 == 0 ? Health::kUnhealthy : Health::kHealthy;
    Report(health, "round " + std::to_string(i));
    EXPECT_THAT(world.Condition(), Optional(health)) << "at once";
    world.Advance(8s);
    world.KubeletWrites({{kGpu0, health, "round " + std::to_string(i)}});
    world.Advance(60s);
  }
  EXPECT_EQ(PatchesOfTheField(), 0U);
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
}

// A guard keeps the kubelet's old entries once our condition is there.
TEST_F(OwnershipTest, EntriesThatStayOldAreReplacedAndOursWhenThatSurvivesTwoTicks) {
  AddPodOfKubelet(Health::kHealthy);
  Report(Health::kUnhealthy, "Xid 79");
  world.Advance(11s);
  EXPECT_EQ(PatchesOfTheField(), 0U);
  world.Advance(2s);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kUnhealthy);
  EXPECT_EQ(world.Field(), FieldState::kDeferred) << "not yet";
  world.Advance(26s);
  EXPECT_EQ(world.Field(), FieldState::kOwn);
  Report(Health::kHealthy);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy) << "at once from now on";
  EXPECT_EQ(world.NoticesWith("default/train is left to the kubelet"), 1U);
  EXPECT_EQ(world.NoticesWith("default/train is the agent's again"), 1U);
}

TEST_F(OwnershipTest, AKubeletThatInsistsIsTriedAtGrowingIntervals) {
  AddPodOfKubelet(Health::kHealthy);
  Report(Health::kUnhealthy, "Xid 79");
  KubeletInsists(600, Health::kHealthy);
  EXPECT_LE(PatchesOfTheField(), 5U);
  EXPECT_GE(PatchesOfTheField(), 3U);
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
  const std::size_t before = PatchesOfTheField();
  KubeletInsists(3600, Health::kHealthy);
  EXPECT_LE(PatchesOfTheField() - before, 12U) << "one in 5 minutes";
}

TEST_F(OwnershipTest, OurEntriesInPlaceOfWhichAKubeletWritesItsOwnAreLeftToIt) {
  world.AddPod({});
  Report(Health::kUnhealthy, "Xid 79");
  world.KubeletWrites({{kGpu0, Health::kUnhealthy, "Xid 79"}});  // without our "since"
  world.Advance(3600s);
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
  EXPECT_EQ(world.Shown("gpu-0")->message, "Xid 79");
  EXPECT_THAT(world.patches, SizeIs(2));
  EXPECT_EQ(world.NoticesWith("another writer"), 0U);
}

TEST_F(OwnershipTest, AConditionThatIsTakenAwayIsNoReasonToTakeTheField) {
  AddPodOfKubelet(Health::kHealthy);
  for (int i = 0; i < 3; ++i) {
    world.ChangePod("uid-train", [](Pod& pod) { pod.condition.reset(); });
    world.Advance(120s);
  }
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
  EXPECT_EQ(PatchesOfTheField(), 0U);
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
}

TEST_F(OwnershipTest, WhoHoldsTheFieldStandsInTheStoreBeforeAnythingIsKnownAgain) {
  AddPodOfKubelet(Health::kHealthy);
  world.claim_error = Error{ErrorKind::kRetry, "connection refused"};
  world.Restart();
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
}

// A webhook that restores the old status and answers 200.
TEST_F(OwnershipTest, AServerThatKeepsNothingBesideEntriesOfOthersIsNoHotLoop) {
  world.answer_instead = [this](const PodPatch& patch) -> std::optional<event::PatchDone> {
    auto pod = std::make_shared<Pod>(world.pod());
    pod->resource_version = std::to_string(1000 + world.patches.size());
    event::PatchDone done{patch.pod->uid};
    done.outcome = event::PatchOutcome::kApplied;
    done.answer = pod;
    return done;
  };
  Pod pod = World::MakePod({});
  pod.statuses[0].claim_entries = {{"claim:gpu", {{kGpu0, Health::kUnknown, ""}}}};
  pod.condition = ObservedCondition{0, {Health::kUnknown, "", ""}, "then"};
  world.PutPod(std::move(pod));
  world.Advance(600s);
  EXPECT_LE(world.patches.size(), 8U);
}

TEST_F(OwnershipTest, WhenTheKubeletsGateIsTurnedOffTheFieldIsTakenOver) {
  AddPodOfKubelet(Health::kHealthy);
  world.RevertField();
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  world.Advance(30s);
  EXPECT_EQ(world.Field(), FieldState::kOwn);
}

TEST_F(OwnershipTest, WhoHoldsTheFieldIsRememberedOverARestart) {
  AddPodOfKubelet(Health::kHealthy);
  world.Restart();
  plugin = world.Register();
  Report(Health::kHealthy);
  world.Advance(60s);
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
  EXPECT_EQ(PatchesOfTheField(), 0U);
}

TEST_F(OwnershipTest, TheIntervalsOfTheContestFollowTheLongest) {
  Settings settings;
  settings.reassert_interval = 40s;
  World fast(settings);
  fast.PutClaim("train-gpu", {{"req", "gpu-0"}});
  fast.Report(fast.Register(), {Says("gpu-0", Health::kHealthy, "", 86400s)});
  fast.revert_at_once = true;
  fast.AddPod({});
  fast.Advance(64s);  // 0, 2, 6, 16 and 40 s after one another
  EXPECT_THAT(fast.patches, SizeIs(6));
  fast.Advance(40s);
  EXPECT_THAT(fast.patches, SizeIs(7));
}

class AlwaysTest : public OwnershipTest {
 protected:
  AlwaysTest() : OwnershipTest(Publishing(PublishMode::kAlways)) {}
};

TEST_F(AlwaysTest, TheFieldIsWrittenOverTheKubelets) {
  AddPodOfKubelet(Health::kUnknown);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_EQ(world.Field(), FieldState::kOwn);
}

TEST_F(AlwaysTest, AKubeletThatInsistsIsContestedAtGrowingIntervals) {
  AddPodOfKubelet(Health::kUnknown);
  KubeletInsists(600, Health::kUnknown);
  EXPECT_EQ(world.Field(), FieldState::kContested);
  EXPECT_LE(world.patches.size(), 6U);
  EXPECT_GE(world.patches.size(), 4U);
}

class ConditionOnlyTest : public OwnershipTest {
 protected:
  ConditionOnlyTest() : OwnershipTest(Publishing(PublishMode::kConditionOnly)) {}
};

TEST_F(ConditionOnlyTest, TheFieldIsNeverWritten) {
  world.AddPod({});
  Report(Health::kUnhealthy);
  world.KubeletWrites({{kGpu0, Health::kHealthy, ""}});
  world.Advance(3600s);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
  EXPECT_EQ(PatchesOfTheField(), 0U);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_EQ(world.Field(), FieldState::kDeferred);
}

TEST(ModeChangeTest, EntriesOfAnEarlierRunAreTakenBackWhereTheFieldIsNotOursAnyMore) {
  World world;
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  world.Report(world.Register(), {Says("gpu-0", Health::kHealthy, "", 86400s)});
  world.AddPod({});
  ASSERT_TRUE(world.Shown("gpu-0"));
  world.Restart(Publishing(PublishMode::kConditionOnly));
  world.Report(world.Register(), {Says("gpu-0", Health::kHealthy, "", 86400s)});
  EXPECT_FALSE(world.Shown("gpu-0"));
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
  world.Advance(600s);
  EXPECT_THAT(world.patches, SizeIs(2));
}

class ShadowTest : public OwnershipTest {
 protected:
  ShadowTest() : OwnershipTest(Publishing(PublishMode::kNever)) {}
};

TEST_F(ShadowTest, NothingIsSentAndEachLastingDifferenceIsListedWithItsReason) {
  AddPodOfKubelet(Health::kHealthy);
  EXPECT_THAT(world.Differences(), IsEmpty());
  Report(Health::kUnhealthy, "Xid 79");
  world.Advance(4s);
  EXPECT_THAT(world.Differences(), IsEmpty()) << "a kubelet is never there at the same moment";
  world.Advance(2s);
  ASSERT_THAT(world.Differences(), SizeIs(1));
  const FieldDifference difference = world.Differences()[0];
  EXPECT_EQ(difference.container, "main");
  EXPECT_EQ(difference.entry, "claim:gpu");
  EXPECT_EQ(difference.resource_id, kGpu0);
  EXPECT_EQ(difference.ours, Health::kUnhealthy);
  EXPECT_EQ(difference.theirs, Health::kHealthy);
  EXPECT_THAT(difference.reason, HasSubstr("has not heard"));
  world.KubeletWrites({{kGpu0, Health::kUnhealthy, difference.our_message}});
  EXPECT_THAT(world.Differences(), IsEmpty());
  EXPECT_THAT(world.patches, IsEmpty());
}

TEST_F(ShadowTest, WhatTheKubeletDoesNotNameAndWhatWeDoNotAreDifferencesToo) {
  AddPodOfKubelet(Health::kHealthy);
  world.KubeletWrites({{kGpu0, Health::kHealthy, ""}, {"other/p/d", Health::kHealthy, ""}});
  world.Advance(6s);
  ASSERT_THAT(world.Differences(), SizeIs(1));
  EXPECT_EQ(world.Differences()[0].ours, std::nullopt);
  world.RevertField();
  world.Advance(6s);
  ASSERT_THAT(world.Differences(), SizeIs(1));
  EXPECT_EQ(world.Differences()[0].theirs, std::nullopt);
  EXPECT_THAT(world.Differences()[0].reason, HasSubstr("gate is off"));
}

// A kubelet looks at leases once a minute.
TEST_F(ShadowTest, TheKubeletsBlindSpotsAreNamed) {
  AddPodOfKubelet(Health::kHealthy);
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 5s)});
  world.Advance(11s);
  ASSERT_THAT(world.Differences(), SizeIs(1));
  EXPECT_THAT(world.Differences()[0].reason, HasSubstr("once a minute"));
  world.KubeletWrites({{kGpu0, Health::kUnknown, ""}});
  Report(Health::kHealthy);
  world.Advance(6s);
  ASSERT_THAT(world.Differences(), SizeIs(1));
  EXPECT_THAT(world.Differences()[0].reason, HasSubstr("forgets health"));
}

TEST_F(ShadowTest, ARestartForgetsDifferencesThatAreNoneAnyMore) {
  AddPodOfKubelet(Health::kUnknown);
  world.Advance(6s);
  ASSERT_THAT(world.Differences(), SizeIs(1));
  world.Restart(Publishing(PublishMode::kAlways));
  plugin = world.Register();
  Report(Health::kHealthy);
  EXPECT_THAT(world.Differences(), IsEmpty());
}

TEST_F(OwnershipTest, ANewTextIsNotSaidMoreOftenBecauseTheFieldIsContested) {
  Report(Health::kUnhealthy, "one");
  world.AddPod({});
  world.RevertField();
  world.Advance(1s);
  world.RevertField();
  EXPECT_EQ(world.Field(), FieldState::kContested);
  world.Advance(16s);
  ASSERT_TRUE(world.Shown("gpu-0"));
  world.patches.clear();
  Report(Health::kUnhealthy, "two");
  EXPECT_THAT(world.patches, IsEmpty());
  world.Advance(10s);
  EXPECT_THAT(world.patches, SizeIs(1));
}

TEST_F(OwnershipTest, TheAnswerOfTheServerBeforeSaysNothingOfTheNewOne) {
  world.hold_patches = world.drop_field = true;
  world.AddPod({});
  world.Send(event::ApiReconnected{});
  world.AnswerPatches();
  world.hold_patches = world.drop_field = false;
  world.AnswerPatches();
  EXPECT_TRUE(world.Shown("gpu-0"));
}

}  // namespace
}  // namespace dra_health

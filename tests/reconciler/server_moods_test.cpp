// Publishing against an API server with moods.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pod_status.h"

namespace dra_health {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Optional;
using testing::SizeIs;

using ServerMoodsTest = PodStatusTest;

// KEP-4680: a server with the gate off drops the field and answers 200.
TEST_F(ServerMoodsTest, AServerThatDropsTheFieldGetsTheConditionAlone) {
  world.drop_field = true;
  world.AddPod({});
  Unhealthy();
  world.Advance(3600s);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
  EXPECT_EQ(world.NoticesWith("does not keep allocatedResourcesStatus"), 1U);
  ASSERT_THAT(world.patches, SizeIs(2));
  EXPECT_THAT(world.patches[1].want.containers, IsEmpty());
  EXPECT_EQ(world.stored().pods[0].field, FieldState::kDropped);
}

TEST_F(ServerMoodsTest, AfterAReconnectTheFieldIsTriedAgain) {
  world.drop_field = true;
  world.AddPod({});
  world.drop_field = false;
  world.Send(event::ApiReconnected{});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
}

TEST_F(ServerMoodsTest, AServerThatDropsMessagesIsNotAskedAgainAndAgain) {
  world.drop_messages = true;
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "Xid 79", 86400s)});
  world.AddPod({});
  world.Advance(3600s);
  EXPECT_THAT(world.patches, SizeIs(1));
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kUnhealthy);
  EXPECT_EQ(world.NoticesWith("does not keep messages"), 1U);
}

// #86320: a pod made anew under the same name got the old one's status.
TEST_F(ServerMoodsTest, AFailedTestIsReadAgainAndANamesakeIsAnotherPod) {
  world.AddPod({});
  world.answer_instead = [&](const PodPatch& patch) -> std::optional<event::PatchDone> {
    if (patch.pod->uid != "uid-train") return std::nullopt;
    world.ForgetPodSilently("uid-train");
    world.PutPod(World::MakePod({"train", "uid-new"}));
    event::PatchDone done{patch.pod->uid};
    done.outcome = event::PatchOutcome::kStale;
    return done;
  };
  Unhealthy();
  EXPECT_EQ(world.pod_reads, 1);
  EXPECT_EQ(world.Shown("gpu-0", "uid-new")->health, Health::kUnhealthy);
  ASSERT_THAT(world.stored().pods, SizeIs(1)) << "the old pod is closed in the record";
  EXPECT_EQ(world.stored().pods[0].uid, "uid-new");
}

TEST_F(ServerMoodsTest, AStaleAnswerLeadsToOneReadAndOnePatch) {
  world.AddPod({});
  world.patches.clear();
  bool first = true;
  world.answer_instead = [&](const PodPatch& patch) -> std::optional<event::PatchDone> {
    if (!std::exchange(first, false)) return std::nullopt;
    event::PatchDone done{patch.pod->uid};
    done.outcome = event::PatchOutcome::kStale;
    return done;
  };
  Unhealthy();
  EXPECT_EQ(world.pod_reads, 1);
  EXPECT_THAT(world.patches, SizeIs(2));
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kUnhealthy);
}

TEST_F(ServerMoodsTest, AMissingPermissionToReadPodsIsSaidOnceAndTakesNothingAway) {
  world.AddPod({});
  AnswerWith(Outcome(event::PatchOutcome::kStale));
  world.pod_error = Error{ErrorKind::kRetry, "missing permission to get pods: 403"};
  Unhealthy();
  world.Advance(600s);
  EXPECT_EQ(world.NoticesWith("missing permission to get pods"), 1U);
  ASSERT_THAT(world.stored().pods, SizeIs(1)) << "it is not gone";
  EXPECT_LE(world.pod_reads, 40);
}

TEST_F(ServerMoodsTest, EndlessStaleAnswersAreNoHotLoop) {
  AnswerWith(Outcome(event::PatchOutcome::kStale));
  world.AddPod({});
  world.Advance(600s);
  EXPECT_LE(world.patches.size(), 40U);
  EXPECT_EQ(world.NoticesWith("keep meeting another picture"), 1U);
}

// #139941, #140060: one invalid entry rejects the whole update.
TEST_F(ServerMoodsTest, OnlyTheRefusedEntryIsLeftOut) {
  world.PutClaim("train-nic", {{"req", "gpu-0"}});
  world.answer_instead = [](const PodPatch& patch) -> std::optional<event::PatchDone> {
    if (patch.want.containers.empty()) return std::nullopt;
    const auto& entries = patch.want.containers[0].entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].name != "claim:nic") continue;
      event::PatchDone done{patch.pod->uid};
      done.outcome = event::PatchOutcome::kInvalid;
      done.invalid = {{patch.want.containers[0].path, i, "must match"}};
      done.why = "Invalid value: claim:nic";
      return done;
    }
    return std::nullopt;
  };
  world.AddPod({"train", "uid-train", {{"gpu", "train-gpu"}, {"nic", "train-nic"}}});
  ASSERT_THAT(world.pod().statuses[0].claim_entries, SizeIs(1));
  EXPECT_EQ(world.pod().statuses[0].claim_entries[0].name, "claim:gpu");
  EXPECT_THAT(world.patches, SizeIs(2));
  EXPECT_EQ(world.NoticesWith("refuses a part"), 1U);
  world.Advance(3600s);
  EXPECT_THAT(world.patches, SizeIs(2));
}

TEST_F(ServerMoodsTest, ARefusalWithoutAPositionLeavesTheConditionAlone) {
  world.answer_instead = [](const PodPatch& patch) -> std::optional<event::PatchDone> {
    if (patch.want.containers.empty()) return std::nullopt;
    event::PatchDone done{patch.pod->uid};
    done.outcome = event::PatchOutcome::kInvalid;
    return done;
  };
  world.AddPod({});
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
  EXPECT_THAT(world.patches, SizeIs(2));
}

TEST_F(ServerMoodsTest, WhatOneServerRefusedIsTriedWithTheNext) {
  event::PatchDone done;
  done.outcome = event::PatchOutcome::kInvalid;
  AnswerWith(done);
  world.AddPod({});
  world.answer_instead = nullptr;
  world.Send(event::ApiReconnected{});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
}

// #139019: a 404 looped.
TEST_F(ServerMoodsTest, APodThatIsGoneIsLeftAlone) {
  AnswerWith(Outcome(event::PatchOutcome::kGone));
  world.AddPod({});
  world.Advance(200s);
  EXPECT_THAT(world.patches, SizeIs(1));
}

TEST_F(ServerMoodsTest, AForbiddenPatchIsSaidOnceAndTriedSlowly) {
  AnswerWith(Outcome(event::PatchOutcome::kForbidden, "patch pods/status in namespace default"));
  world.AddPod({});
  world.Advance(600s);
  EXPECT_EQ(world.NoticesWith("patch pods/status"), 1U);
  EXPECT_THAT(world.stored().pods[0].last_error, HasSubstr("patch pods/status"));
  EXPECT_LE(world.patches.size(), 11U);
  world.answer_instead = nullptr;
  world.Advance(61s);
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy)) << "the permission was given";
}

TEST_F(ServerMoodsTest, ADenialByAPolicyIsSaidOnce) {
  AnswerWith(Outcome(event::PatchOutcome::kDenied, "ValidatingAdmissionPolicy 'p' denied request"));
  world.AddPod({});
  world.Advance(3600s);
  EXPECT_EQ(world.NoticesWith("ValidatingAdmissionPolicy 'p'"), 1U);
  EXPECT_LE(world.patches.size(), 14U);
}

TEST_F(ServerMoodsTest, RetryAfterIsObeyed) {
  event::PatchDone done = Outcome(event::PatchOutcome::kRetry, "429 Too Many Requests");
  done.retry_after = 120'000ms;
  AnswerWith(done);
  world.AddPod({});
  world.Advance(119s);
  EXPECT_THAT(world.patches, SizeIs(1));
  world.Advance(2s);
  EXPECT_THAT(world.patches, SizeIs(2));
}

TEST_F(ServerMoodsTest, WhileTheServerIsAwayFewRequestsAreMadeAndTheNewestStateIsPublishedAfter) {
  AddPodsWithClaims(50);
  world.patches.clear();
  AnswerWith(Outcome(event::PatchOutcome::kRetry, "connection refused"));
  for (int i = 0; i < 20; ++i) {
    Unhealthy("fault " + std::to_string(i));
    world.Advance(15s);
    Healthy();
    world.Advance(15s);
  }
  Unhealthy("the last");
  EXPECT_LE(world.patches.size(), 200U) << "50 pods, 10 minutes: not each on its own";
  EXPECT_EQ(world.NoticesWith("connection refused"), 1U);
  world.patches.clear();
  world.answer_instead = nullptr;
  world.Send(event::ApiReconnected{});
  EXPECT_THAT(world.patches, SizeIs(50)) << "one a pod, the newest state only";
  EXPECT_THAT(world.Shown("gpu-0", "uid-7")->message, HasSubstr("the last"));
}

// The watch may take longer to find out.
TEST_F(ServerMoodsTest, TheFirstPatchThatIsAnsweredAfterAnOutageLetsAllOthersGo) {
  AddPodsWithClaims(50);
  AnswerWith(Outcome(event::PatchOutcome::kRetry, "connection refused"));
  Unhealthy();
  world.Advance(600s);
  world.patches.clear();
  world.answer_instead = nullptr;
  world.Advance(16s);
  EXPECT_THAT(world.patches, SizeIs(50));
}

TEST_F(ServerMoodsTest, APermissionThatIsMissingAfterAnOutageIsSaid) {
  AddPodsWithClaims(2);
  AnswerWith(Outcome(event::PatchOutcome::kRetry, "connection refused"));
  Unhealthy();
  world.Advance(60s);
  AnswerWith(Outcome(event::PatchOutcome::kForbidden, "patch pods/status"));
  world.Advance(600s);
  EXPECT_EQ(world.NoticesWith("may not patch pods: patch pods/status"), 1U);
}

TEST_F(ServerMoodsTest, AServerThatStartsIsNotMissingAPermission) {
  AddPodsWithClaims(50);
  AnswerWith(Outcome(event::PatchOutcome::kRetry, "connection refused"));
  Unhealthy();
  world.Advance(600s);
  AnswerWith(Outcome(event::PatchOutcome::kForbidden, "not yet"));
  world.patches.clear();
  world.Advance(16s);
  EXPECT_THAT(world.patches, SizeIs(AllOf(Ge(1U), Le(8U))));
  world.patches.clear();
  world.answer_instead = nullptr;
  world.Advance(16s);
  EXPECT_THAT(world.patches, SizeIs(50));
  EXPECT_EQ(world.NoticesWith("may not patch"), 0U);
}

}  // namespace
}  // namespace dra_health

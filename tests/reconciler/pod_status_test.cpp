// Publishing beside a kubelet and against an API server with moods.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

class PodStatusTest : public testing::Test {
 protected:
  void SetUp() override {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}});
    plugin = world.Register();
    Healthy();
  }

  void Healthy() { world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 86400s)}); }
  void Unhealthy(const std::string& message = "Xid 79") {
    world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, message, 86400s)});
  }
  void AnswerWith(event::PatchDone done) {
    world.answer_instead = [done](const PodPatch& patch) {
      event::PatchDone answer = done;
      answer.uid = patch.pod->uid;
      return answer;
    };
  }
  event::PatchDone Outcome(event::PatchOutcome outcome, const std::string& why = "because") {
    event::PatchDone done;
    done.outcome = outcome;
    done.why = why;
    return done;
  }

  World world;
  PluginId plugin = 0;
};

// #136238: two writers looped for ever over one field.
TEST_F(PodStatusTest, InASteadyStateNoRequestIsSent) {
  world.AddPod({});
  ASSERT_THAT(world.patches, SizeIs(1));
  for (int i = 0; i < 120; ++i) {
    world.Advance(5s);
    Healthy();
    world.ChangePod("uid-train", [](Pod&) {});  // the kubelet writes other fields
  }
  EXPECT_THAT(world.patches, SizeIs(1));
  EXPECT_EQ(world.claim_reads, 1);
  EXPECT_EQ(world.pod_reads, 0);
}

TEST_F(PodStatusTest, APodThatAlreadySaysItGetsNoRequestAfterARestart) {
  world.AddPod({});
  world.Restart();
  plugin = world.Register();
  Healthy();
  world.Advance(60s);
  EXPECT_THAT(world.patches, SizeIs(1));
}

// #138407: the kubelet writes map-ordered lists; readers hand them over sorted, so order is no
// matter.
TEST_F(PodStatusTest, OneHealthChangeIsOnePatchAndNoRead) {
  world.AddPod({});
  world.patches.clear();
  Unhealthy();
  EXPECT_THAT(world.patches, SizeIs(1));
  EXPECT_EQ(world.pod_reads, 0);
}

// #139772: a client with an old library wiped fields that it did not know.
TEST_F(PodStatusTest, AFieldThatVanishesOnceIsPutBackAtOnce) {
  world.AddPod({});
  world.RevertField();
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_THAT(world.patches, SizeIs(2));
  EXPECT_EQ(world.NoticesWith("another writer"), 0U);
}

TEST_F(PodStatusTest, AFieldThatKeepsVanishingIsPutBackAtGrowingIntervals) {
  world.AddPod({});
  const auto start = world.now().boot;
  std::vector<int> sent;  // seconds at which patches went out
  std::size_t seen = world.patches.size();
  for (int second = 0; second < 3600; ++second) {
    if (second % 10 == 9 && world.Shown("gpu-0")) world.RevertField();  // the kubelet's tick
    world.Advance(1s);
    if (world.patches.size() > seen) {
      seen = world.patches.size();
      sent.push_back(static_cast<int>((world.now().boot - start) / 1s));
    }
  }
  const auto early = std::ranges::count_if(sent, [](int second) { return second <= 600; });
  EXPECT_LE(early + 1, 6) << "with the first, in the first 10 minutes";
  EXPECT_GE(early, 4);
  for (std::size_t i = 1; i < sent.size(); ++i) {
    if (sent[i - 1] > 600) {
      EXPECT_GE(sent[i] - sent[i - 1], 300);
    }
  }
  EXPECT_GE(sent.size(), 9U) << "it never gives up";
  EXPECT_EQ(world.NoticesWith("another writer"), 1U);
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
}

TEST_F(PodStatusTest, WhileContestedAHealthChangeIsStillSentAtOnceWithTheCondition) {
  world.revert_at_once = true;
  world.AddPod({});
  world.Advance(60s);
  world.patches.clear();
  Unhealthy();
  ASSERT_THAT(world.patches, SizeIs(1));
  EXPECT_THAT(world.patches[0].want.containers, SizeIs(1));
  EXPECT_THAT(world.Condition(), Optional(Health::kUnhealthy));
}

TEST_F(PodStatusTest, WhileContestedMessagesWaitForTheNextReassertion) {
  world.revert_at_once = true;
  world.AddPod({});
  world.Advance(700s);  // into the 5 minute pace
  world.patches.clear();
  for (int i = 0; i < 300; ++i) {
    world.Report(plugin, {Says("gpu-0", Health::kHealthy, "t" + std::to_string(i), 86400s)});
    world.Advance(1s);
  }
  EXPECT_LE(world.patches.size(), 2U);
}

TEST_F(PodStatusTest, AWriteThatSurvivesTwoTicksIsNotContestedAnyMore) {
  world.AddPod({});
  world.RevertField();
  world.RevertField();
  EXPECT_EQ(world.stored().pods[0].field, FieldState::kContested);
  world.Advance(60s);
  EXPECT_EQ(world.stored().pods[0].field, FieldState::kOwn);
}

TEST_F(PodStatusTest, AConditionThatKeepsVanishingIsNoHotLoop) {
  world.AddPod({});
  for (int i = 0; i < 600; ++i) {
    if (world.pod().condition)
      world.ChangePod("uid-train", [](Pod& pod) { pod.condition.reset(); });
    world.Advance(1s);
  }
  EXPECT_LE(world.patches.size(), 6U);
}

// KEP-4680: a server with the gate off drops the field and answers 200.
TEST_F(PodStatusTest, AServerThatDropsTheFieldGetsTheConditionAlone) {
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

TEST_F(PodStatusTest, AfterAReconnectTheFieldIsTriedAgain) {
  world.drop_field = true;
  world.AddPod({});
  world.drop_field = false;
  world.Send(event::ApiReconnected{});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
}

TEST_F(PodStatusTest, AServerThatDropsMessagesIsNotAskedAgainAndAgain) {
  world.drop_messages = true;
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "Xid 79", 86400s)});
  world.AddPod({});
  world.Advance(3600s);
  EXPECT_THAT(world.patches, SizeIs(1));
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kUnhealthy);
  EXPECT_EQ(world.NoticesWith("does not keep messages"), 1U);
}

// #86320: a pod made anew under the same name got the old one's status.
TEST_F(PodStatusTest, AFailedTestIsReadAgainAndANamesakeIsAnotherPod) {
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

TEST_F(PodStatusTest, AStaleAnswerLeadsToOneReadAndOnePatch) {
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

TEST_F(PodStatusTest, AMissingPermissionToReadPodsIsSaidOnceAndTakesNothingAway) {
  world.AddPod({});
  AnswerWith(Outcome(event::PatchOutcome::kStale));
  world.pod_error = Error{ErrorKind::kRetry, "missing permission to get pods: 403"};
  Unhealthy();
  world.Advance(600s);
  EXPECT_EQ(world.NoticesWith("missing permission to get pods"), 1U);
  ASSERT_THAT(world.stored().pods, SizeIs(1)) << "it is not gone";
  EXPECT_LE(world.pod_reads, 40);
}

TEST_F(PodStatusTest, EndlessStaleAnswersAreNoHotLoop) {
  AnswerWith(Outcome(event::PatchOutcome::kStale));
  world.AddPod({});
  world.Advance(600s);
  EXPECT_LE(world.patches.size(), 40U);
  EXPECT_EQ(world.NoticesWith("keep meeting another picture"), 1U);
}

// #139941, #140060: one invalid entry rejects the whole update.
TEST_F(PodStatusTest, OnlyTheRefusedEntryIsLeftOut) {
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

TEST_F(PodStatusTest, ARefusalWithoutAPositionLeavesTheConditionAlone) {
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

TEST_F(PodStatusTest, WhatOneServerRefusedIsTriedWithTheNext) {
  event::PatchDone done;
  done.outcome = event::PatchOutcome::kInvalid;
  AnswerWith(done);
  world.AddPod({});
  world.answer_instead = nullptr;
  world.Send(event::ApiReconnected{});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
}

// #139019: a 404 looped.
TEST_F(PodStatusTest, APodThatIsGoneIsLeftAlone) {
  AnswerWith(Outcome(event::PatchOutcome::kGone));
  world.AddPod({});
  world.Advance(200s);
  EXPECT_THAT(world.patches, SizeIs(1));
}

TEST_F(PodStatusTest, AForbiddenPatchIsSaidOnceAndTriedSlowly) {
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

TEST_F(PodStatusTest, ADenialByAPolicyIsSaidOnce) {
  AnswerWith(Outcome(event::PatchOutcome::kDenied, "ValidatingAdmissionPolicy 'p' denied request"));
  world.AddPod({});
  world.Advance(3600s);
  EXPECT_EQ(world.NoticesWith("ValidatingAdmissionPolicy 'p'"), 1U);
  EXPECT_LE(world.patches.size(), 14U);
}

TEST_F(PodStatusTest, RetryAfterIsObeyed) {
  event::PatchDone done = Outcome(event::PatchOutcome::kRetry, "429 Too Many Requests");
  done.retry_after = 120'000ms;
  AnswerWith(done);
  world.AddPod({});
  world.Advance(119s);
  EXPECT_THAT(world.patches, SizeIs(1));
  world.Advance(2s);
  EXPECT_THAT(world.patches, SizeIs(2));
}

TEST_F(PodStatusTest, WhileTheServerIsAwayFewRequestsAreMadeAndTheNewestStateIsPublishedAfter) {
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    world.PutClaim("claim-" + n, {{"req", "gpu-0"}});
    world.AddPod({"pod-" + n, "uid-" + n, {{"gpu", "claim-" + n}}});
  }
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

TEST_F(PodStatusTest, ABurstOfChangesCollapsesToTheNewestStateOfAPod) {
  world.AddPod({});
  world.patches.clear();
  world.hold_patches = true;
  for (int i = 0; i < 100; ++i) {
    Unhealthy();
    Healthy();
  }
  Unhealthy("final");
  EXPECT_THAT(world.patches, SizeIs(1));
  world.hold_patches = false;
  world.AnswerPatches();
  world.Advance(10s);  // the newest differs from the one under way in its message only
  EXPECT_THAT(world.patches, SizeIs(2));
  EXPECT_THAT(world.Shown("gpu-0")->message, HasSubstr("final"));
}

TEST_F(PodStatusTest, PatchesUnderWayAreBounded) {
  world.hold_patches = true;
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    world.PutClaim("claim-" + n, {{"req", "gpu-0"}});
    world.AddPod({"pod-" + n, "uid-" + n, {{"gpu", "claim-" + n}}});
  }
  EXPECT_THAT(world.patches, SizeIs(Settings{}.max_patches_in_flight));
  world.hold_patches = false;
  world.AnswerPatches();
  EXPECT_THAT(world.patches, SizeIs(50));
}

TEST_F(PodStatusTest, AReadingOlderThanTheAnswerToAPatchIsIgnored) {
  world.AddPod({});
  auto old = std::make_shared<Pod>(world.pod());
  old->statuses[0].claim_entries.clear();
  old->resource_version = "50";
  world.Send(event::PodChanged{old});
  EXPECT_THAT(world.patches, SizeIs(1));
}

// apache/apisix-ingress-controller#2816, NVIDIA/NVSentinel#1012: a text over the limit.
TEST_F(PodStatusTest, MessagesAreCutInBytesAndKeepSinceWhen) {
  std::string smileys;
  for (int i = 0; i < 1000; ++i) smileys += "\xF0\x9F\x98\x80";
  Unhealthy(smileys);
  world.AddPod({});
  const std::string message = world.Shown("gpu-0")->message;
  EXPECT_LE(message.size(), 1024U);
  EXPECT_GT(message.size(), 1015U);
  EXPECT_THAT(message, HasSubstr("\xF0\x9F\x98\x80... (since "));
}

TEST_F(PodStatusTest, TheConditionOfAPodWithManyBadDevicesStaysShort) {
  std::vector<DeviceReport> report;
  std::vector<std::pair<std::string, std::string>> devices;
  for (int i = 0; i < 128; ++i) {
    const std::string name = "gpu-" + std::to_string(1000 + i);
    report.push_back(Says(name, Health::kUnhealthy, std::string(1024, 'x')));
    devices.emplace_back("req", name);
  }
  world.PutClaim("train-gpu", devices);
  world.Report(plugin, report);
  world.AddPod({});
  EXPECT_LE(world.pod().condition->status.message.size(), 32U * 1024);
  EXPECT_THAT(world.pod().condition->status.message, HasSubstr("128 of 128 devices unhealthy"));
  EXPECT_THAT(world.pod().condition->status.message, HasSubstr("and 120 more"));
}

TEST(DryRunTest, EachChangeIsPrintedOnceThoughPodsNeverShowIt) {
  Settings settings;
  settings.dry_run = true;
  World world(settings);
  world.answer_instead = [](const PodPatch& patch) {
    event::PatchDone done{patch.pod->uid};
    done.outcome = event::PatchOutcome::kApplied;
    return std::optional(done);
  };
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  const PluginId plugin = world.Register();
  world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 86400s)});
  world.AddPod({});
  for (int i = 0; i < 10; ++i) world.ChangePod("uid-train", [](Pod&) {});
  EXPECT_THAT(world.patches, SizeIs(1));
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "", 86400s)});
  world.Advance(600s);
  EXPECT_THAT(world.patches, SizeIs(2));
}

}  // namespace
}  // namespace dra_health

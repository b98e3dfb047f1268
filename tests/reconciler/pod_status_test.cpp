// Publishing beside a kubelet.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pod_status.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

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
  AddPodsWithClaims(50);
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

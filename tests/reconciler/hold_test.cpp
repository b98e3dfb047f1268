// Which pods' fields are held, and how devices are named in them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::Optional;
using testing::SizeIs;

// Pods pod-0, pod-1, ... each with the device gpu-0, gpu-1, ...
class HoldTest : public testing::Test {
 protected:
  void Start(const Settings& settings, int pods) {
    world.emplace(settings);
    plugin = world->Register();
    for (int i = 0; i < pods; ++i) {
      const std::string n = std::to_string(i);
      world->PutClaim("claim-" + n, {{"req", "gpu-" + n}});
      Report(i, Health::kHealthy);
      world->AddPod({"pod-" + n, "uid-" + n, {{"gpu", "claim-" + n}}});
    }
  }
  void Report(int device, Health health) {
    world->Report(plugin, {Says("gpu-" + std::to_string(device), health, "", 86400s)});
  }
  bool Held(int pod) const {
    const std::string n = std::to_string(pod);
    return world->Shown("gpu-" + n, "uid-" + n).has_value();
  }

  std::optional<World> world;
  PluginId plugin = 0;
};

TEST_F(HoldTest, HealthyPodsNeedNotBeHeld) {
  Settings settings;
  settings.hold = HoldPods::kNotHealthy;
  Start(settings, 1);
  EXPECT_FALSE(Held(0));
  EXPECT_THAT(world->Condition("uid-0"), Optional(Health::kHealthy));
  EXPECT_EQ(world->Field("uid-0"), FieldState::kDeferred);
  Report(0, Health::kUnhealthy);
  EXPECT_TRUE(Held(0));
  EXPECT_THAT(world->patches, SizeIs(2)) << "the condition and the field in one";
  Report(0, Health::kHealthy);
  EXPECT_FALSE(Held(0));
  EXPECT_THAT(world->Condition("uid-0"), Optional(Health::kHealthy));
  world->Advance(3600s);
  EXPECT_THAT(world->patches, SizeIs(3));
}

TEST_F(HoldTest, NoneIsHeldWhereNoneShallBe) {
  Settings settings;
  settings.hold = HoldPods::kNone;
  Start(settings, 1);
  Report(0, Health::kUnhealthy);
  EXPECT_FALSE(Held(0));
  EXPECT_THAT(world->Condition("uid-0"), Optional(Health::kUnhealthy));
}

TEST_F(HoldTest, NotMoreThanTheLimitAreHeldAndTheSickComeFirst) {
  Settings settings;
  settings.max_held_pods = 2;
  Start(settings, 4);
  EXPECT_TRUE(Held(0) && Held(1));
  EXPECT_FALSE(Held(2) || Held(3));
  EXPECT_THAT(world->Condition("uid-3"), Optional(Health::kHealthy));
  EXPECT_EQ(world->NoticesWith("--max-held-pods"), 1U);

  Report(3, Health::kUnhealthy);
  EXPECT_TRUE(Held(3));
  EXPECT_EQ(Held(0) + Held(1) + Held(2), 1) << "a healthy one made room";
  Report(2, Health::kUnhealthy);
  EXPECT_TRUE(Held(2) && Held(3));
  Report(1, Health::kUnhealthy);
  EXPECT_FALSE(Held(1)) << "no room, and nobody healthy is held";

  world->DeletePod("uid-3");
  EXPECT_TRUE(Held(1)) << "the sick one that waited comes before the healthy";
  EXPECT_FALSE(Held(0));
  world->DeletePod("uid-1");
  world->DeletePod("uid-2");
  EXPECT_TRUE(Held(0));
}

// A guard keeps a kubelet's entries as soon as the pod carries our condition.
class OldEntriesTest : public HoldTest, public testing::WithParamInterface<PublishMode> {};

TEST_P(OldEntriesTest, AreTakenAwayWhereThePodMayNotBeHeld) {
  Settings settings;
  settings.publish = GetParam();
  settings.hold = HoldPods::kNone;
  Start(settings, 0);
  world->PutClaim("claim-0", {{"req", "gpu-0"}});
  Report(0, Health::kUnhealthy);
  Pod pod = World::MakePod({"pod-0", "uid-0", {{"gpu", "claim-0"}}});
  const std::string id = ResourceId({kDriver, kPool, "gpu-0"});
  pod.statuses[0].claim_entries = {{"claim:gpu", {{id, Health::kUnhealthy, ""}}}};
  world->PutPod(std::move(pod));
  world->Advance(600s);
  EXPECT_TRUE(Held(0)) << "it says the same";
  Report(0, Health::kHealthy);
  EXPECT_TRUE(Held(0)) << "the kubelet may not have heard of it yet";
  world->Advance(13s);
  EXPECT_FALSE(Held(0));
  world->Advance(3600s);
  EXPECT_THAT(world->patches, SizeIs(3)) << "the condition twice, and once without the entries";
}

INSTANTIATE_TEST_SUITE_P(Modes, OldEntriesTest,
                         testing::Values(PublishMode::kAuto, PublishMode::kAlways));

TEST_F(HoldTest, ThePlaceOfOneThatRecoversIsForTheSick) {
  Settings settings;
  settings.max_held_pods = 1;
  Start(settings, 2);
  Report(0, Health::kUnhealthy);
  Report(1, Health::kUnhealthy);
  EXPECT_TRUE(Held(0) && !Held(1));
  Report(0, Health::kHealthy);
  EXPECT_TRUE(!Held(0) && Held(1));
}

TEST_F(HoldTest, AKubeletThatGoesOnWritingWhereThePodMayNotBeHeldIsNotFought) {
  Settings settings;
  settings.hold = HoldPods::kNone;
  Start(settings, 0);
  world->PutClaim("claim-0", {{"req", "gpu-0"}});
  Report(0, Health::kHealthy);
  world->AddPod({"pod-0", "uid-0", {{"gpu", "claim-0"}}});
  const std::string id = ResourceId({kDriver, kPool, "gpu-0"});
  world->patches.clear();
  for (int second = 0; second < 600; ++second) {  // it lags: what it says is never right
    if (second % 10 == 9 && !Held(0)) world->KubeletWrites({{id, Health::kUnknown, ""}}, "uid-0");
    world->Advance(1s);
  }
  EXPECT_LE(world->patches.size(), 6U);
  EXPECT_EQ(world->Field("uid-0"), FieldState::kDeferred);
}

TEST_F(HoldTest, EveryFreePlaceIsTakenWhenSeveralPodsGoAtOnce) {
  Settings settings;
  settings.max_held_pods = 2;
  Start(settings, 4);
  ASSERT_FALSE(Held(2) || Held(3));
  world->hold_patches = true;  // nobody asks before both have gone
  world->ForgetPodSilently("uid-0");
  world->ForgetPodSilently("uid-1");
  event::PodsListed list;
  for (const char* uid : {"uid-2", "uid-3"}) {
    list.pods.push_back(std::make_shared<const Pod>(world->pod(uid)));
  }
  world->Send(list);
  world->hold_patches = false;
  world->AnswerPatches();
  EXPECT_TRUE(Held(2) && Held(3));
}

TEST_F(HoldTest, APodThatHasEndedMakesRoomAndKeepsWhatItSays) {
  Settings settings;
  settings.max_held_pods = 1;
  Start(settings, 2);
  ASSERT_TRUE(Held(0) && !Held(1));
  world->ChangePod("uid-0", [](Pod& pod) { pod.ended = true; });
  EXPECT_TRUE(Held(0) && Held(1));
}

const DeviceKey kGpu{kDriver, kPool, "gpu-0"};
const std::string kCdiId = "gpu.example.com/gpu=0";

class CdiTest : public HoldTest {
 protected:
  void Start(ResourceIdForm form) {
    Settings settings;
    settings.resource_id = form;
    HoldTest::Start(settings, 0);
    world->PutClaim("train-gpu", {{"req", "gpu-0"}});
    Report(0, Health::kHealthy);
  }
  std::string ShownId() const {
    return world->pod().statuses.at(0).claim_entries.at(0).resources.at(0).resource_id;
  }
};

TEST_F(CdiTest, DevicesAreCalledByTheirFirstCdiIdAsSoonAsItIsKnown) {
  Start(ResourceIdForm::kCdi);
  world->AddPod({});
  EXPECT_EQ(ShownId(), ResourceId(kGpu));
  world->cdi_ids = std::vector<CdiIdRecord>{{kGpu, kCdiId}};
  world->Advance(2s);
  EXPECT_EQ(ShownId(), kCdiId);
  world->Restart();
  plugin = world->Register();
  Report(0, Health::kHealthy);
  world->Advance(600s);
  EXPECT_EQ(ShownId(), kCdiId) << "remembered";
  EXPECT_EQ(world->cdi_reads, 1);
}

TEST_F(CdiTest, AKubeletThatIsNotThereIsAskedSomeTimesAndNotForEver) {
  Start(ResourceIdForm::kCdi);
  world->AddPod({});
  world->Advance(3600s);
  EXPECT_EQ(world->cdi_reads, 4);
  EXPECT_EQ(ShownId(), ResourceId(kGpu));
}

TEST_F(CdiTest, ABusyPodWithoutAnIdIsNoReasonToAskForEver) {
  Start(ResourceIdForm::kCdi);
  world->AddPod({});
  for (int i = 0; i < 600; ++i) {
    world->ChangePod("uid-train", [](Pod&) {});
    world->Advance(1s);
  }
  EXPECT_EQ(world->cdi_reads, 4);
}

TEST_F(CdiTest, DevicesThatShareAnIdAreStillTwo) {
  Start(ResourceIdForm::kTriple);
  const DeviceKey other{kDriver, kPool, "gpu-1"};
  world->cdi_ids =
      std::vector<CdiIdRecord>{{kGpu, "example.com/gpu=common"}, {other, "example.com/gpu=common"}};
  world->PutClaim("train-gpu", {{"req", "gpu-0"}, {"req", "gpu-1"}});
  Report(1, Health::kHealthy);
  Pod pod = World::MakePod({});
  const ResourceHealth common{"example.com/gpu=common", Health::kHealthy, ""};
  pod.statuses[0].claim_entries = {{"claim:gpu", {common, common}}};
  world->PutPod(std::move(pod));
  world->Advance(600s);
  EXPECT_THAT(world->Differences(), SizeIs(0));
  EXPECT_THAT(world->patches, SizeIs(1)) << "the condition";
}

TEST_F(CdiTest, TheKubeletsEntriesAreComparedByDeviceWhateverItCallsThem) {
  Start(ResourceIdForm::kTriple);
  world->cdi_ids = std::vector<CdiIdRecord>{{kGpu, kCdiId}};
  Pod pod = World::MakePod({});
  pod.statuses[0].claim_entries = {{"claim:gpu", {{kCdiId, Health::kHealthy, ""}}}};
  world->PutPod(std::move(pod));
  world->Advance(600s);
  EXPECT_EQ(world->Field(), FieldState::kDeferred);
  EXPECT_THAT(world->patches, SizeIs(1));
  EXPECT_THAT(world->Differences(), SizeIs(0));
  Report(0, Health::kUnhealthy);
  world->Advance(6s);
  ASSERT_THAT(world->Differences(), SizeIs(1));
  EXPECT_EQ(world->Differences()[0].resource_id, ResourceId(kGpu));
}

TEST_F(CdiTest, NamesThatNobodyCanTranslateAreComparedByTheWorstOfTheEntry) {
  Start(ResourceIdForm::kTriple);
  Pod pod = World::MakePod({});
  pod.statuses[0].claim_entries = {{"claim:gpu", {{"vendor/x=1", Health::kHealthy, ""}}}};
  world->PutPod(std::move(pod));
  world->Advance(600s);
  EXPECT_THAT(world->patches, SizeIs(1));
  EXPECT_THAT(world->Differences(), SizeIs(0));
  Report(0, Health::kUnhealthy);
  world->Advance(6s);
  ASSERT_THAT(world->Differences(), SizeIs(1));
  EXPECT_EQ(world->Differences()[0].resource_id, "");
}

}  // namespace
}  // namespace dra_health

// Which pod holds which device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

std::vector<std::string> EntryNames(const ContainerStatus& status) {
  std::vector<std::string> names;
  for (const auto& entry : status.claim_entries) names.push_back(entry.name);
  return names;
}

class PodsAndClaimsTest : public testing::Test {
 protected:
  void SetUp() override { plugin = world.Register(); }

  void Healthy(std::initializer_list<const char*> devices) {
    std::vector<DeviceReport> report;
    for (const char* device : devices) report.push_back(Says(device, Health::kHealthy));
    world.Report(plugin, std::move(report));
  }

  World world;
  PluginId plugin = 0;
};

// #140036: a direct claim stands only in the spec.
TEST_F(PodsAndClaimsTest, ADirectClaimIsFoundWithoutAnyStatus) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  world.AddPod({});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
}

// #138407: resourceClaimStatuses flaps between subsets when there are several templates.
TEST_F(PodsAndClaimsTest, ALinkThatOneReadingLacksIsNotUnlearned) {
  world.PutClaim("a-1", {{"req", "gpu-0"}});
  world.PutClaim("b-1", {{"req", "gpu-1"}});
  Healthy({"gpu-0", "gpu-1"});
  Pod pod = World::MakePod({"train", "uid-train", {{"a", "a-1"}, {"b", "b-1"}}});
  world.PutPod(pod);
  ASSERT_THAT(EntryNames(world.pod().statuses[0]), ElementsAre("claim:a", "claim:b"));
  world.patches.clear();
  for (int i = 0; i < 10; ++i) {
    world.ChangePod("uid-train", [&](Pod& copy) {
      copy.claims = {{"a", i % 2 == 0 ? std::optional<std::string>{} : "a-1"},
                     {"b", i % 2 == 0 ? std::optional<std::string>("b-1") : std::nullopt}};
    });
    world.Advance(1s);
  }
  EXPECT_THAT(world.patches, IsEmpty());
}

TEST_F(PodsAndClaimsTest, ATemplateClaimIsReadWhenItsNameBecomesKnown) {
  world.PutClaim("train-gpu-x7", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  Pod pod = World::MakePod({});
  pod.claims = {{"gpu", std::nullopt}};
  world.PutPod(pod);
  EXPECT_EQ(world.claim_reads, 0);
  world.ChangePod("uid-train", [](Pod& copy) { copy.claims = {{"gpu", "train-gpu-x7"}}; });
  EXPECT_EQ(world.claim_reads, 1);
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
}

TEST_F(PodsAndClaimsTest, WhatWasSaidBeforeAllIsKnownIsPutRightBeforeAllIsKnown) {
  world.PutClaim("a-1", {{"req", "gpu-0"}});
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, "", 86400s)});
  Pod pod = World::MakePod({"train", "uid-train", {{"a", "a-1"}, {"b", "b-1"}}});
  pod.claims[1].claim_name.reset();  // made from a template, not known yet
  world.PutPod(pod);
  ASSERT_THAT(world.Condition(), Optional(Health::kUnhealthy)) << "an alarm does not wait";
  world.claim_error = Error{ErrorKind::kRetry, "connection refused"};
  world.ChangePod("uid-train", [](Pod& changed) { changed.claims[1].claim_name = "b-1"; });
  Healthy({"gpu-0"});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_THAT(world.Condition(), Optional(Health::kUnknown)) << "of the other claim's devices";
}

TEST_F(PodsAndClaimsTest, AClaimIsReadOnceNotWithEveryChangeOfThePod) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  world.AddPod({});
  for (int i = 0; i < 20; ++i) world.ChangePod("uid-train", [](Pod&) {});
  world.Advance(3600s);
  EXPECT_EQ(world.claim_reads, 1);
}

TEST_F(PodsAndClaimsTest, AClaimThatIsNotThereYetIsAskedForAgain) {
  Healthy({"gpu-0"});
  world.AddPod({});
  world.Advance(10s);
  EXPECT_THAT(world.patches, IsEmpty());
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  world.Advance(20s);
  Healthy({"gpu-0"});
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_EQ(world.NoticesWith("not found"), 1U) << "said once, and only when it lasts";
}

TEST_F(PodsAndClaimsTest, AForbiddenClaimIsSaidOnceAndTheOthersGoOn) {
  world.PutClaim("other-gpu", {{"req", "gpu-1"}});
  Healthy({"gpu-1"});
  world.claim_error = Error{ErrorKind::kItem, "missing permission to get resourceclaims: 403"};
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    world.AddPod({"pod-" + n, "uid-" + n, {{"gpu", "claim-" + n}}});
  }
  world.Advance(600s);
  world.claim_error.reset();
  Healthy({"gpu-1"});
  world.AddPod({"other", "uid-other", {{"gpu", "other-gpu"}}});
  EXPECT_EQ(world.NoticesWith("missing permission to get resourceclaims"), 1U);
  EXPECT_EQ(world.Shown("gpu-1", "uid-other")->health, Health::kHealthy);
}

TEST_F(PodsAndClaimsTest, AClaimThatCannotBeReadIsSaidOncePerClaim) {
  world.claim_error = Error{ErrorKind::kRetry, "500 Internal Server Error"};
  world.AddPod({});
  world.Advance(600s);
  EXPECT_EQ(world.NoticesWith("waits for its claim: 500"), 1U);
}

// #139940: sidecars use devices; plain init containers are over.
TEST_F(PodsAndClaimsTest, SidecarsArePublishedAndPlainInitContainersAreNot) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  Pod pod = World::MakePod({});
  pod.containers.push_back({"setup", ContainerKind::kInit, {{"gpu", ""}}});
  pod.containers.push_back({"proxy", ContainerKind::kSidecar, {{"gpu", ""}}});
  pod.statuses.push_back({"setup", {true, 0}, {}, ""});
  pod.statuses.push_back({"proxy", {true, 1}, {}, ""});
  world.PutPod(pod);
  EXPECT_THAT(EntryNames(world.pod().statuses[0]), ElementsAre("claim:gpu"));
  EXPECT_THAT(world.pod().statuses[1].claim_entries, IsEmpty());
  EXPECT_THAT(EntryNames(world.pod().statuses[2]), ElementsAre("claim:gpu"));
}

// #139939: extended resources backed by DRA, by requestMappings; an unknown request is skipped.
TEST_F(PodsAndClaimsTest, ExtendedResourcesAreNamedByClaimAndRequest) {
  world.PutClaim("train-extended", {{"container-0-request-0", "gpu-0"}, {"other", "gpu-1"}});
  Healthy({"gpu-0", "gpu-1"});
  Pod pod = World::MakePod({"train", "uid-train", {}, {"main"}});
  pod.extended = ExtendedResourceClaim{
      "train-extended",
      {{"main", "container-0-request-0"}, {"main", "no-such-request"}, {"elsewhere", "other"}}};
  world.PutPod(pod);
  ASSERT_THAT(EntryNames(world.pod().statuses[0]),
              ElementsAre("claim:train-extended/container-0-request-0"));
  EXPECT_EQ(world.Shown("gpu-0")->health, Health::kHealthy);
  EXPECT_FALSE(world.Shown("gpu-1"));
}

TEST_F(PodsAndClaimsTest, AContainerThatNamesARequestGetsThatRequestsDevicesOnly) {
  world.PutClaim("train-gpu", {{"small", "gpu-0"}, {"big/first", "gpu-1"}, {"bigger", "gpu-2"}});
  Healthy({"gpu-0", "gpu-1", "gpu-2"});
  Pod pod = World::MakePod({});
  pod.containers[0].claims = {{"gpu", "big"}};
  world.PutPod(pod);
  EXPECT_THAT(EntryNames(world.pod().statuses[0]), ElementsAre("claim:gpu/big"));
  EXPECT_TRUE(world.Shown("gpu-1")) << "a sub-request belongs to its request";
  EXPECT_FALSE(world.Shown("gpu-0"));
  EXPECT_FALSE(world.Shown("gpu-2"));
}

TEST_F(PodsAndClaimsTest, AResultWithoutARequestNameBelongsToEveryContainerOfTheClaim) {
  world.PutClaim("train-gpu", {{"", "gpu-0"}});
  Healthy({"gpu-0"});
  Pod pod = World::MakePod({});
  pod.containers[0].claims = {{"gpu", "any"}};
  world.PutPod(pod);
  EXPECT_TRUE(world.Shown("gpu-0"));
}

TEST_F(PodsAndClaimsTest, OneDeviceUnderTwoShareIdsIsOneResource) {
  const DeviceKey key{kDriver, kPool, "gpu-0"};
  world.PutClaim(
      Claim{"u", "default", "train-gpu", true, {{"req", key, "s1"}, {"req", key, "s2"}}});
  Healthy({"gpu-0"});
  world.AddPod({});
  ASSERT_THAT(world.pod().statuses[0].claim_entries, SizeIs(1));
  EXPECT_THAT(world.pod().statuses[0].claim_entries[0].resources, SizeIs(1))
      << "resourceID must be unique within an entry";
}

TEST_F(PodsAndClaimsTest, WhereTwoDevicesShareAResourceIdTheWorseWinsAndKeepsItsMessage) {
  world.PutClaim(Claim{"u",
                       "default",
                       "train-gpu",
                       true,
                       {{"req", {kDriver, "a/b", "c"}, ""}, {"req", {kDriver, "a", "b/c"}, ""}}});
  world.Report(plugin, {{"a/b", "c", Health::kHealthy, "fine", 0, 0s},
                        {"a", "b/c", Health::kUnhealthy, "broken", 0, 0s}});
  world.AddPod({});
  const auto& resources = world.pod().statuses[0].claim_entries.at(0).resources;
  ASSERT_THAT(resources, SizeIs(1));
  EXPECT_EQ(resources[0].health, Health::kUnhealthy);
  EXPECT_THAT(resources[0].message, testing::StartsWith("broken"));
}

// #140212: one pod's end must not touch the other.
TEST_F(PodsAndClaimsTest, AClaimSharedByTwoPodsOutlivesOneOfThem) {
  world.PutClaim("shared", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  world.AddPod({"one", "uid-one", {{"gpu", "shared"}}});
  world.AddPod({"two", "uid-two", {{"gpu", "shared"}}});
  world.DeletePod("uid-one");
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy)});
  EXPECT_EQ(world.Shown("gpu-0", "uid-two")->health, Health::kUnhealthy);
}

// #141471: a force-deleted pod can leave one device with two claims for seconds.
TEST_F(PodsAndClaimsTest, ADeviceInTwoClaimsUpdatesBothPods) {
  world.PutClaim("old", {{"req", "gpu-0"}});
  world.PutClaim("new", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  world.AddPod({"one", "uid-one", {{"gpu", "old"}}});
  world.AddPod({"two", "uid-two", {{"gpu", "new"}}});
  world.Report(plugin, {Says("gpu-0", Health::kUnhealthy)});
  EXPECT_EQ(world.Shown("gpu-0", "uid-one")->health, Health::kUnhealthy);
  EXPECT_EQ(world.Shown("gpu-0", "uid-two")->health, Health::kUnhealthy);
}

TEST_F(PodsAndClaimsTest, AClaimOfTheSameNameIsReadAnewForTheNextPod) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  Healthy({"gpu-0", "gpu-1"});
  world.AddPod({"train", "uid-old"});
  world.PutClaim("train-gpu", {{"req", "gpu-1"}});
  world.AddPod({"train", "uid-new"});
  EXPECT_TRUE(world.Shown("gpu-0", "uid-old"));
  EXPECT_TRUE(world.Shown("gpu-1", "uid-new"));
  EXPECT_FALSE(world.Shown("gpu-0", "uid-new"));
}

// A mixed pod: the others' devices are Unknown in the field and do not count.
TEST_F(PodsAndClaimsTest, InAMixedPodDevicesWithoutHealthServiceAreUnknownAndDoNotCount) {
  world.Register("nic.example.com", {"v1.DRAPlugin"});
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  world.PutClaim("train-nic", {{"req", "nic-0"}}, "nic.example.com");
  Healthy({"gpu-0"});
  world.AddPod({"train", "uid-train", {{"gpu", "train-gpu"}, {"nic", "train-nic"}}});
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
  const auto nic = world.Shown("nic-0", "uid-train", "nic.example.com");
  ASSERT_TRUE(nic);
  EXPECT_EQ(nic->health, Health::kUnknown);
  EXPECT_EQ(nic->message, "the driver does not report health");
}

TEST_F(PodsAndClaimsTest, APodWithoutClaimsIsNoneOfOurBusiness) {
  world.AddPod({"web", "uid-web", {}});
  world.Advance(60s);
  EXPECT_THAT(world.patches, IsEmpty());
  EXPECT_THAT(world.stored().pods, IsEmpty());
}

TEST_F(PodsAndClaimsTest, AContainerWithoutAStatusIsPublishedWhenItHasOne) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  Pod pod = World::MakePod({});
  const auto statuses = std::exchange(pod.statuses, {});
  world.PutPod(pod);
  EXPECT_THAT(world.Condition(), Optional(Health::kHealthy));
  world.ChangePod("uid-train", [&](Pod& copy) { copy.statuses = statuses; });
  EXPECT_TRUE(world.Shown("gpu-0"));
}

TEST_F(PodsAndClaimsTest, AllocationsAreRecordedOnceAndEndWithThePod) {
  world.PutClaim("train-gpu", {{"req", "gpu-0"}});
  Healthy({"gpu-0"});
  world.AddPod({});
  world.ChangePod("uid-train", [](Pod&) {});
  ASSERT_THAT(world.stored().allocations, SizeIs(1));
  EXPECT_EQ(world.stored().allocations[0].container, "main");
  world.Restart();
  EXPECT_THAT(world.stored().allocations, SizeIs(1)) << "a restart is no new allocation";
  world.DeletePod("uid-train");
  EXPECT_THAT(world.stored().allocations, IsEmpty());
}

}  // namespace
}  // namespace dra_health

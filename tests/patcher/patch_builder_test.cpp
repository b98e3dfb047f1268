#include "patcher/patch_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/patcher/pod_json.h"

namespace dra_health {
namespace {

using nlohmann::json;

const WallTime kNow{std::chrono::seconds{1'800'000'000}};  // 2027-01-15T08:00:00Z

ContainerPublication Main(std::vector<ResourceStatus> entries) {
  return {.path = {}, .container = "main", .entries = std::move(entries)};
}

ResourceStatus Gpu(Health health, std::string message = "") {
  return {.name = "claim:gpu", .resources = {{"d/p/gpu-0", health, std::move(message)}}};
}

ConditionStatus Condition(Health summary, std::string message = "gpu-0") {
  return {.summary = summary, .reason = "Because", .message = std::move(message)};
}

json Condition(const std::string& status, const std::string& since) {
  return {{"type", kConditionType},
          {"status", status},
          {"reason", "Because"},
          {"message", "gpu-0"},
          {"lastTransitionTime", since}};
}

std::string Build(const json& pod, Publication want) {
  return BuildPatch({.pod = Read(pod), .want = std::move(want), .now = kNow});
}

json& FieldOf(json& pod) {
  return pod["status"]["containerStatuses"][0]["allocatedResourcesStatus"];
}

TEST(PatchBuilder, TestsTheUidFirstSoThatANamesakeIsNeverWritten) {
  json pod = SamplePod();
  const std::string patch = Build(pod, {.containers = {Main({Gpu(Health::kHealthy)})}});
  EXPECT_EQ(json::parse(patch)[0],
            (json{{"op", "test"}, {"path", "/metadata/uid"}, {"value", "uid-1"}}));
  pod["metadata"]["uid"] = "uid-2";
  EXPECT_THROW(Apply(pod, patch), json::exception);
}

TEST(PatchBuilder, TestsTheContainersNameSoThatAnotherOrderIsNoticed) {
  json pod = SamplePod();
  const std::string patch = Build(pod, {.containers = {Main({Gpu(Health::kHealthy)})}});
  pod["status"]["containerStatuses"].insert(pod["status"]["containerStatuses"].begin(),
                                            json{{"name", "other"}});
  EXPECT_THROW(Apply(pod, patch), json::exception);
}

TEST(PatchBuilder, AddsTheFieldAndNothingElse) {
  json pod = SamplePod();
  const json after = Apply(pod, Build(pod, {.containers = {Main({Gpu(Health::kHealthy)})}}));
  FieldOf(pod) = json::array({Entry("claim:gpu", "d/p/gpu-0", "Healthy")});
  EXPECT_EQ(after, pod);
}

TEST(PatchBuilder, ReplacesAnEarlierValueOfOurs) {
  json pod = SamplePod();
  FieldOf(pod) = json::array({Entry("claim:gpu", "d/p/gpu-0", "Healthy")});
  json after =
      Apply(pod, Build(pod, {.containers = {Main({Gpu(Health::kUnhealthy, "ECC errors")})}}));
  EXPECT_EQ(
      FieldOf(after)[0]["resources"][0],
      (json{{"resourceID", "d/p/gpu-0"}, {"health", "Unhealthy"}, {"message", "ECC errors"}}));
}

TEST(PatchBuilder, KeepsEntriesOfDevicePluginsAsTheyAre) {
  json pod = SamplePod();
  json plugin = Entry("nvidia.com/gpu", "GPU-1", "Healthy");
  plugin["future"] = {{"field", 1.5}};
  FieldOf(pod) = json::array({plugin, Entry("claim:gpu", "d/p/gpu-0", "Healthy")});
  json after = Apply(pod, Build(pod, {.containers = {Main({Gpu(Health::kUnhealthy)})}}));
  EXPECT_THAT(FieldOf(after),
              testing::UnorderedElementsAre(plugin, Entry("claim:gpu", "d/p/gpu-0", "Unhealthy")));
}

TEST(PatchBuilder, EntriesOfOthersThatChangedMeanwhileFailTheTest) {
  json pod = SamplePod();
  FieldOf(pod) = json::array({Entry("nvidia.com/gpu", "GPU-1", "Healthy")});
  const std::string patch = Build(pod, {.containers = {Main({Gpu(Health::kHealthy)})}});
  FieldOf(pod)[0]["resources"][0]["health"] = "Unhealthy";
  EXPECT_THROW(Apply(pod, patch), json::exception);
}

TEST(PatchBuilder, OursStandBeforeOthersSoThatARefusalsIndexIsOurs) {
  json pod = SamplePod();
  FieldOf(pod) = json::array({Entry("nvidia.com/gpu", "GPU-1", "Healthy")});
  json after = Apply(pod, Build(pod, {.containers = {Main({Gpu(Health::kHealthy)})}}));
  EXPECT_EQ(FieldOf(after)[0]["name"], "claim:gpu");
}

TEST(PatchBuilder, LeavesOthersAloneWhenOursAreWithdrawn) {
  json pod = SamplePod();
  const json plugin = Entry("nvidia.com/gpu", "GPU-1", "Healthy");
  FieldOf(pod) = json::array({Entry("claim:gpu", "d/p/gpu-0", "Healthy"), plugin});
  json after = Apply(pod, Build(pod, {.containers = {Main({})}}));
  EXPECT_EQ(FieldOf(after), json::array({plugin}));
}

TEST(PatchBuilder, RemovesTheFieldWhenNothingIsLeftInIt) {
  json pod = SamplePod();
  FieldOf(pod) = json::array({Entry("claim:gpu", "d/p/gpu-0", "Healthy")});
  EXPECT_EQ(Apply(pod, Build(pod, {.containers = {Main({})}})), SamplePod());
}

TEST(PatchBuilder, RemovesNothingWhereNothingIs) {
  EXPECT_EQ(json::parse(Build(SamplePod(), {.containers = {Main({})}})).size(), 1u);
}

TEST(PatchBuilder, WritesSidecarsIntoInitContainerStatuses) {
  json pod = SamplePod();
  pod["status"]["initContainerStatuses"] = {{{"name", "setup"}}, {{"name", "proxy"}}};
  const ContainerPublication proxy{
      .path = {.init = true, .index = 1}, .container = "proxy", .entries = {Gpu(Health::kHealthy)}};
  const json after = Apply(pod, Build(pod, {.containers = {proxy}}));
  const json& statuses = after["status"]["initContainerStatuses"];
  EXPECT_FALSE(statuses[0].contains("allocatedResourcesStatus"));
  EXPECT_EQ(statuses[1]["allocatedResourcesStatus"][0]["name"], "claim:gpu");
}

TEST(PatchBuilder, AnEmptyMessageIsAbsentBecauseTheServerRefusesIt) {
  json after =
      Apply(SamplePod(), Build(SamplePod(), {.containers = {Main({Gpu(Health::kHealthy)})}}));
  EXPECT_FALSE(FieldOf(after)[0]["resources"][0].contains("message"));
}

TEST(PatchBuilder, CutsALongMessageToTheServersLimitInBytes) {
  std::string umlauts;
  while (umlauts.size() < 4000) umlauts += "\xC3\xA4";
  json after = Apply(
      SamplePod(), Build(SamplePod(), {.containers = {Main({Gpu(Health::kUnhealthy, umlauts)})}}));
  const std::string message = FieldOf(after)[0]["resources"][0]["message"];
  EXPECT_LE(message.size(), 1024u);
  EXPECT_GT(message.size(), 1000u);
  EXPECT_TRUE(message.ends_with("\xC3\xA4..."));
}

TEST(PatchBuilder, AMessageOfExactlyTheLimitIsWhole) {
  const std::string full(1024, 'x');
  json after = Apply(SamplePod(),
                     Build(SamplePod(), {.containers = {Main({Gpu(Health::kUnhealthy, full)})}}));
  EXPECT_EQ(FieldOf(after)[0]["resources"][0]["message"], full);
}

TEST(PatchBuilder, BytesOfADriverThatAreNoTextBreakNothing) {
  const std::string bytes("a\0b\nc\xFF\x1B[31m", 11);
  ResourceStatus entry = Gpu(Health::kUnhealthy, bytes);
  entry.resources[0].resource_id = "d/p/\xFE";
  json after = Apply(SamplePod(), Build(SamplePod(), {.containers = {Main({entry})}}));
  EXPECT_EQ(FieldOf(after)[0]["resources"][0]["message"], "a b c\xEF\xBF\xBD [31m");
  EXPECT_EQ(FieldOf(after)[0]["resources"][0]["resourceID"], "d/p/\xEF\xBF\xBD");
}

TEST(PatchBuilder, AppendsTheConditionUnderATestOfTheResourceVersion) {
  const std::string patch = Build(SamplePod(), {.condition = Condition(Health::kUnhealthy)});
  const json after = Apply(SamplePod(), patch);
  ASSERT_EQ(after["status"]["conditions"].size(), 3u);
  EXPECT_EQ(after["status"]["conditions"][2], Condition("False", "2027-01-15T08:00:00Z"));
  json moved = SamplePod();
  moved["metadata"]["resourceVersion"] = "43";
  EXPECT_THROW(Apply(moved, patch), json::exception);
}

TEST(PatchBuilder, MakesTheListWhereAPodHasNoConditions) {
  json pod = SamplePod();
  pod["status"].erase("conditions");
  const std::string patch = Build(pod, {.condition = Condition(Health::kHealthy)});
  EXPECT_EQ(Apply(pod, patch)["status"]["conditions"],
            json::array({Condition("True", "2027-01-15T08:00:00Z")}));
  json moved = pod;
  moved["metadata"]["resourceVersion"] = "43";
  EXPECT_THROW(Apply(moved, patch), json::exception);
}

class WithCondition : public testing::Test {
 protected:
  WithCondition() {
    pod_["status"]["conditions"].insert(pod_["status"]["conditions"].begin() + 1,
                                        Condition("True", "2026-01-01T00:00:00Z"));
  }
  json ConditionAfter(const Publication& want) {
    return Apply(pod_, Build(pod_, want))["status"]["conditions"][1];
  }
  json pod_ = SamplePod();
};

TEST_F(WithCondition, AnEqualOneCausesNoOperation) {
  const json patch = json::parse(Build(pod_, {.condition = Condition(Health::kHealthy)}));
  EXPECT_EQ(patch.size(), 1u) << patch;
}

TEST_F(WithCondition, TheTransitionTimeMovesWithTheStatus) {
  EXPECT_EQ(ConditionAfter({.condition = Condition(Health::kUnknown)}),
            Condition("Unknown", "2027-01-15T08:00:00Z"));
}

TEST_F(WithCondition, TheTransitionTimeStaysWhenOnlyTheTextChanges) {
  json expected = Condition("True", "2026-01-01T00:00:00Z");
  expected["message"] = "gpu-1";
  EXPECT_EQ(ConditionAfter({.condition = Condition(Health::kHealthy, "gpu-1")}), expected);
}

TEST_F(WithCondition, AnotherConditionAtItsIndexFailsTheTest) {
  const std::string patch = Build(pod_, {.condition = Condition(Health::kUnhealthy)});
  pod_["status"]["conditions"].erase(0);
  EXPECT_THROW(Apply(pod_, patch), json::exception);
}

TEST_F(WithCondition, NeedsNoResourceVersionSoThatABusyPodCanBeWritten) {
  const std::string patch = Build(pod_, {.condition = Condition(Health::kUnhealthy)});
  pod_["metadata"]["resourceVersion"] = "43";
  EXPECT_EQ(Apply(pod_, patch)["status"]["conditions"][1]["status"], "False");
}

TEST_F(WithCondition, IsRemovedWhereNoneIsWanted) {
  const std::string patch = Build(pod_, {});
  EXPECT_EQ(Apply(pod_, patch), SamplePod());
  pod_["status"]["conditions"].erase(1);
  EXPECT_THROW(Apply(pod_, patch), json::exception);
}

TEST_F(WithCondition, ItsMessageIsKeptUnderItsLimit) {
  const json after =
      ConditionAfter({.condition = Condition(Health::kUnhealthy, std::string(40'000, 'x'))});
  EXPECT_EQ(after["message"].get<std::string>().size(), 32u * 1024);
}

TEST(PatchBuilder, PrintsIndentedForPeople) {
  const PodPatch patch{.pod = Read(SamplePod()), .want = {}, .now = kNow};
  EXPECT_EQ(BuildPatch(patch).find('\n'), std::string::npos);
  EXPECT_NE(BuildPatch(patch, 2).find("\n  {"), std::string::npos);
}

}  // namespace
}  // namespace dra_health

#include "patcher/pod_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/patcher/pod_json.h"

namespace dra_health {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string ErrorOf(const json& pod) {
  const auto read = ReadPod(pod);
  EXPECT_FALSE(read);
  return read ? "" : read.error().message;
}

TEST(PodReader, ReadsIdentityAndState) {
  json sample = SamplePod();
  const auto pod = Read(sample);
  EXPECT_EQ(pod->uid, "uid-1");
  EXPECT_EQ(pod->namespace_name, "shop");
  EXPECT_EQ(pod->name, "web");
  EXPECT_EQ(pod->resource_version, "42");
  EXPECT_FALSE(pod->ended);
  EXPECT_FALSE(pod->deleting);
  sample["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_TRUE(Read(sample)->deleting);
}

TEST(PodReader, SucceededAndFailedPodsHaveEnded) {
  json pod = SamplePod();
  for (const char* phase : {"Succeeded", "Failed"}) {
    pod["status"]["phase"] = phase;
    EXPECT_TRUE(Read(pod)->ended) << phase;
  }
  for (const char* phase : {"Pending", "Running", "Unknown"}) {
    pod["status"]["phase"] = phase;
    EXPECT_FALSE(Read(pod)->ended) << phase;
  }
}

TEST(PodReader, TakesAClaimsNameFromTheSpecFirstThenFromTheStatus) {
  json sample = SamplePod();
  sample["spec"]["resourceClaims"] = {{{"name", "direct"}, {"resourceClaimName", "in-spec"}},
                                      {{"name", "made"}, {"resourceClaimTemplateName", "t"}},
                                      {{"name", "not-yet"}, {"resourceClaimTemplateName", "t"}}};
  sample["status"]["resourceClaimStatuses"] = {
      {{"name", "direct"}, {"resourceClaimName", "wrong"}},
      {{"name", "made"}, {"resourceClaimName", "in-status"}}};
  const auto pod = Read(sample);
  ASSERT_EQ(pod->claims.size(), 3u);
  EXPECT_EQ(pod->claims[0].claim_name, "in-spec");
  EXPECT_EQ(pod->claims[1].claim_name, "in-status");
  EXPECT_EQ(pod->claims[2].claim_name, std::nullopt);
}

TEST(PodReader, AMadeClaimThatIsNotNeededHasNoName) {
  json sample = SamplePod();
  sample["spec"]["resourceClaims"] = {{{"name", "made"}, {"resourceClaimTemplateName", "t"}}};
  sample["status"]["resourceClaimStatuses"] = {{{"name", "made"}}};
  EXPECT_EQ(Read(sample)->claims.at(0).claim_name, std::nullopt);
}

TEST(PodReader, TellsSidecarsFromInitContainers) {
  json sample = SamplePod();
  sample["spec"]["initContainers"] = {
      {{"name", "setup"}},
      {{"name", "proxy"},
       {"restartPolicy", "Always"},
       {"resources", {{"claims", {{{"name", "gpu"}, {"request", "nic"}}}}}}}};
  const auto pod = Read(sample);
  ASSERT_EQ(pod->containers.size(), 3u);
  EXPECT_EQ(pod->containers[0].kind, ContainerKind::kContainer);
  EXPECT_EQ(pod->containers[1].kind, ContainerKind::kInit);
  EXPECT_EQ(pod->containers[2].kind, ContainerKind::kSidecar);
  ASSERT_EQ(pod->containers[2].claims.size(), 1u);
  EXPECT_EQ(pod->containers[2].claims[0].name, "gpu");
  EXPECT_EQ(pod->containers[2].claims[0].request, "nic");
}

TEST(PodReader, ReadsExtendedResources) {
  json sample = SamplePod();
  sample["status"]["extendedResourceClaimStatus"] = {
      {"resourceClaimName", "web-extended"},
      {"requestMappings",
       {{{"containerName", "main"}, {"resourceName", "example.com/gpu"}, {"requestName", "r0"}}}}};
  const auto pod = Read(sample);
  ASSERT_TRUE(pod->extended);
  EXPECT_EQ(pod->extended->claim_name, "web-extended");
  ASSERT_EQ(pod->extended->mappings.size(), 1u);
  EXPECT_EQ(pod->extended->mappings[0].container, "main");
  EXPECT_EQ(pod->extended->mappings[0].request, "r0");
}

TEST(PodReader, OrderOfEntriesAndResourcesMeansNothing) {
  json a = SamplePod();
  json b = SamplePod();
  json two = Entry("claim:b", "d/p/2", "Healthy");
  two["resources"].push_back({{"resourceID", "d/p/1"}, {"health", "Unhealthy"}});
  json turned = two;
  std::swap(turned["resources"][0], turned["resources"][1]);
  const json one = Entry("claim:a", "d/p/3", "Unknown");
  a["status"]["containerStatuses"][0]["allocatedResourcesStatus"] = {two, one};
  b["status"]["containerStatuses"][0]["allocatedResourcesStatus"] = {one, turned};
  EXPECT_EQ(Read(a)->statuses[0].claim_entries, Read(b)->statuses[0].claim_entries);
  EXPECT_EQ(Read(a)->statuses[0].claim_entries[0].name, "claim:a");
  EXPECT_EQ(Read(a)->statuses[0].claim_entries[1].resources[0].health, Health::kUnhealthy);
}

TEST(PodReader, KeepsTheRawListOnlyWhereOthersAreInIt) {
  json pod = SamplePod();
  json& list = pod["status"]["containerStatuses"][0]["allocatedResourcesStatus"];
  list = json::array({Entry("claim:gpu", "d/p/1", "Healthy")});
  EXPECT_EQ(Read(pod)->statuses[0].raw_list, "");
  list.push_back(Entry("nvidia.com/gpu", "GPU-1", "Healthy"));
  EXPECT_EQ(json::parse(Read(pod)->statuses[0].raw_list), list);
  EXPECT_EQ(Read(pod)->statuses[0].claim_entries.size(), 1u);
}

TEST(PodReader, NumbersStatusesOfBothLists) {
  json sample = SamplePod();
  sample["status"]["containerStatuses"].push_back({{"name", "second"}});
  sample["status"]["initContainerStatuses"] = {{{"name", "setup"}}};
  const auto pod = Read(sample);
  ASSERT_EQ(pod->statuses.size(), 3u);
  EXPECT_EQ(pod->statuses[1].path, (StatusPath{.init = false, .index = 1}));
  EXPECT_EQ(pod->statuses[2].path, (StatusPath{.init = true, .index = 0}));
}

TEST(PodReader, FindsOurConditionAmongOthers) {
  json sample = SamplePod();
  EXPECT_FALSE(Read(sample)->condition);
  EXPECT_TRUE(Read(sample)->has_conditions);
  sample["status"]["conditions"].push_back({{"type", kConditionType},
                                            {"status", "False"},
                                            {"reason", "DeviceUnhealthy"},
                                            {"message", "m"},
                                            {"lastTransitionTime", "2026-01-01T00:00:00Z"}});
  const auto pod = Read(sample);
  ASSERT_TRUE(pod->condition);
  EXPECT_EQ(pod->condition->index, 2u);
  EXPECT_EQ(pod->condition->status, (ConditionStatus{Health::kUnhealthy, "DeviceUnhealthy", "m"}));
  EXPECT_EQ(pod->condition->last_transition_time, "2026-01-01T00:00:00Z");
}

TEST(PodReader, NullAndAbsentListsAreEmpty) {
  json sample = SamplePod();
  sample["spec"]["resourceClaims"] = nullptr;
  sample["spec"]["containers"][0]["resources"] = nullptr;
  sample["status"]["conditions"] = nullptr;
  sample["status"]["containerStatuses"][0]["allocatedResourcesStatus"] = {
      {{"name", "claim:gpu"}, {"resources", nullptr}}};
  const auto pod = Read(sample);
  EXPECT_TRUE(pod->claims.empty());
  EXPECT_TRUE(pod->containers[0].claims.empty());
  EXPECT_FALSE(pod->has_conditions);
  EXPECT_TRUE(pod->statuses[0].claim_entries.at(0).resources.empty());

  sample.erase("status");
  EXPECT_TRUE(Read(sample)->statuses.empty());
}

TEST(PodReader, AnUnknownHealthWordIsUnknown) {
  json sample = SamplePod();
  sample["status"]["containerStatuses"][0]["allocatedResourcesStatus"] = {
      Entry("claim:gpu", "d/p/1", "Degraded")};
  EXPECT_EQ(Read(sample)->statuses[0].claim_entries[0].resources[0].health, Health::kUnknown);
}

TEST(PodReader, NamesTheFieldThatIsMalformed) {
  json sample = SamplePod();
  sample["spec"]["containers"][0]["name"] = 5;
  EXPECT_THAT(ErrorOf(sample),
              HasSubstr("pod shop/web cannot be read: spec.containers[0].name is of type number"));
  sample = SamplePod();
  sample["status"]["containerStatuses"] = "none";
  EXPECT_THAT(ErrorOf(sample), HasSubstr("status.containerStatuses is of type string"));
  sample = SamplePod();
  sample["metadata"].erase("uid");
  EXPECT_THAT(ErrorOf(sample), HasSubstr("metadata.uid is missing or empty"));
}

// Every value in turn replaced by one of every type: an answer each time, and no exception.
TEST(PodReader, NothingMalformedThrows) {
  json sample = SamplePod();
  sample["status"]["containerStatuses"][0]["allocatedResourcesStatus"] = {
      Entry("claim:gpu", "d/p/1", "Healthy"), Entry("plugin", "x", "Healthy")};
  sample["status"]["extendedResourceClaimStatus"] = {
      {"resourceClaimName", "c"},
      {"requestMappings", {{{"containerName", "main"}, {"requestName", "r"}}}}};
  sample["status"]["conditions"].push_back({{"type", kConditionType}, {"status", "True"}});
  const json flat = sample.flatten();
  const json values = {nullptr,       true, 1.5, -1, "text", json::array(), json::array({nullptr}),
                       json::object()};
  for (const auto& [path, unused] : flat.items()) {
    for (json::json_pointer at(path);; at = at.parent_pointer()) {
      for (const json& value : values) {
        json broken = sample;
        broken[at] = value;
        EXPECT_NO_THROW(ReadPod(broken)) << at.to_string() << " = " << value;
      }
      if (at.empty()) break;
    }
  }
}

TEST(PodReader, TextThatIsNoJsonIsAnError) {
  for (const char* text :
       {"", "{", "<html></html>", "\"text\"", "[]", "null", "{\"a\":\"\xFF\"}"}) {
    EXPECT_FALSE(ReadPodText(text)) << text;
  }
  EXPECT_TRUE(ReadPodText(SamplePod().dump()));
}

TEST(PodReader, DeepNestingDoesNotExhaustTheStack) {
  json sample = SamplePod();
  sample["status"]["containerStatuses"][0]["allocatedResourcesStatus"] = {{{"name", "x"}}, "DEEP"};
  std::string text = sample.dump();
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  text.replace(text.find("\"DEEP\""), 6, deep);
  EXPECT_NO_THROW(ReadPodText(text));
}

}  // namespace
}  // namespace dra_health

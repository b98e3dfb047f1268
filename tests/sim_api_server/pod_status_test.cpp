#include "sim/api_server/pod_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/api_server/kubelet.h"
#include "tests/sim_api_server/samples.h"

namespace dra_health::sim {
namespace {

using testing::HasSubstr;

class PodStatusTest : public testing::Test {
 protected:
  PodStatusTest() { old_["metadata"]["uid"] = "uid-1"; }

  // `old_` with `list` on its only container, sent by a client.
  tl::expected<Json, ApiResponse> Send(const Json& list, Writer writer = Writer::kClient) {
    return UpdatedPod(old_, WithList(old_, "main", list), writer, rules_);
  }

  // The fields of the causes of a refusal; empty when it was accepted.
  std::vector<std::string> CausesOf(const tl::expected<Json, ApiResponse>& updated) {
    std::vector<std::string> fields;
    if (updated) return fields;
    EXPECT_EQ(updated.error().status, 422);
    const Json body = Json::parse(updated.error().body);
    EXPECT_EQ(Text(body, "reason"), "Invalid");
    for (const Json& cause : body["details"]["causes"]) fields.push_back(Text(cause, "field"));
    return fields;
  }

  void OwnCondition(Json& pod) {
    pod["status"]["conditions"].push_back(
        {{"type", "dra-health-agent/DevicesHealthy"}, {"status", "True"}});
  }

  Json old_ = SamplePod();
  PodRules rules_;
};

Json Entry(const std::string& name) {
  return {{"name", name},
          {"resources", Json::array({{{"resourceID", "a/b/c"}, {"health", "Healthy"}}})}};
}

constexpr const char* kFirst = "status.containerStatuses[0].allocatedResourcesStatus[0]";

TEST_F(PodStatusTest, AcceptsEveryNameTheContainerHas) {
  const Json list = {Entry("claim:gpu/req"), Entry("claim:nic"), Entry("example.com/fpga")};
  const auto updated = Send(list);
  ASSERT_TRUE(updated) << updated.error().body;
  EXPECT_EQ(ListOf(*updated), list);
}

TEST_F(PodStatusTest, RefusesNamesTheContainerLacks) {
  for (const char* name :
       {"claim:gpu", "claim:gpu/other", "claim:nic/req", "claim:none", "example.com/none", ""}) {
    EXPECT_THAT(CausesOf(Send(Json::array({Entry(name)}))),
                testing::ElementsAre(std::string(kFirst) + ".name"))
        << name;
  }
}

TEST_F(PodStatusTest, AcceptsExtendedResourcesByTheirMapping) {
  old_["status"]["extendedResourceClaimStatus"] = Json::parse(
      R"({"resourceClaimName": "made", "requestMappings": [
           {"containerName": "main", "resourceName": "example.com/ext", "requestName": "r0"},
           {"containerName": "other", "resourceName": "example.com/ext", "requestName": "r1"}]})");
  EXPECT_TRUE(Send(Json::array({Entry("claim:made/r0")})));
  EXPECT_FALSE(Send(Json::array({Entry("claim:made/r1")})));
}

TEST_F(PodStatusTest, LetsStatusesOfUnknownContainersPass) {
  old_["status"]["containerStatuses"][0]["name"] = "ghost";
  EXPECT_TRUE(UpdatedPod(old_, WithList(old_, "ghost", Json::array({Entry("claim:none")})),
                         Writer::kClient, rules_));
}

TEST_F(PodStatusTest, RefusesUnknownHealth) {
  EXPECT_THAT(CausesOf(Send(SampleList("Sick"))),
              testing::ElementsAre(std::string(kFirst) + ".resources[0].health"));
}

TEST_F(PodStatusTest, MessageHasOneTo1024Bytes) {
  EXPECT_TRUE(Send(SampleList("Healthy", std::string(1024, 'x'))));
  // Bytes, not characters.
  std::string umlauts;
  for (int i = 0; i < 513; ++i) umlauts += "\u00fc";
  const std::string field = std::string(kFirst) + ".resources[0].message";
  EXPECT_THAT(CausesOf(Send(SampleList("Healthy", umlauts))), testing::ElementsAre(field));
  Json empty = SampleList();
  empty[0]["resources"][0]["message"] = "";
  EXPECT_THAT(CausesOf(Send(empty)), testing::ElementsAre(field));
}

TEST_F(PodStatusTest, ResourceIdsAreUniqueWithinAnEntryOnly) {
  Json list = {Entry("claim:gpu/req"), Entry("claim:nic")};
  EXPECT_TRUE(Send(list));
  list[0]["resources"].push_back(list[0]["resources"][0]);
  EXPECT_THAT(CausesOf(Send(list)),
              testing::ElementsAre(std::string(kFirst) + ".resources[1].resourceID"));
}

TEST_F(PodStatusTest, EveryOffenceIsACause) {
  Json list = {Entry("claim:none"), Entry("claim:nic")};
  list[1]["resources"][0]["health"] = "Sick";
  const auto updated = Send(list);
  EXPECT_EQ(CausesOf(updated).size(), 2u);
  EXPECT_THAT(updated.error().body, HasSubstr(R"(Pod \"pod-1\" is invalid: [)"));
}

TEST_F(PodStatusTest, SidecarsAreCheckedAgainstInitContainers) {
  const auto updated = UpdatedPod(
      old_, WithList(old_, "side", Json::array({Entry("claim:gpu/req")})), Writer::kClient, rules_);
  EXPECT_THAT(
      CausesOf(updated),
      testing::ElementsAre("status.initContainerStatuses[0].allocatedResourcesStatus[0].name"));
  EXPECT_TRUE(UpdatedPod(old_, WithList(old_, "side", Json::array({Entry("claim:nic")})),
                         Writer::kClient, rules_));
}

TEST_F(PodStatusTest, EphemeralContainersMayNotHaveTheField) {
  Json patched = old_;
  patched["status"]["ephemeralContainerStatuses"][0]["allocatedResourcesStatus"] = SampleList();
  EXPECT_THAT(
      CausesOf(UpdatedPod(old_, patched, Writer::kClient, rules_)),
      testing::ElementsAre("status.ephemeralContainerStatuses[0].allocatedResourcesStatus"));
}

TEST_F(PodStatusTest, SpecIsLeftAloneAndLabelsPass) {
  Json patched = old_;
  patched["spec"]["nodeName"] = "elsewhere";
  patched["metadata"]["labels"] = {{"a", "b"}};
  patched["metadata"]["ownerReferences"] = Json::array({{{"name", "x"}}});
  const auto updated = UpdatedPod(old_, patched, Writer::kClient, rules_);
  ASSERT_TRUE(updated);
  EXPECT_EQ((*updated)["spec"], old_["spec"]);
  EXPECT_EQ((*updated)["metadata"]["labels"]["a"], "b");
  EXPECT_FALSE((*updated)["metadata"].contains("ownerReferences"));
}

TEST_F(PodStatusTest, AnotherUidIsRefusedAndAnotherVersionAConflict) {
  Json patched = old_;
  patched["metadata"]["uid"] = "other";
  EXPECT_THAT(CausesOf(UpdatedPod(old_, patched, Writer::kClient, rules_)),
              testing::ElementsAre("metadata.uid"));
  patched = old_;
  patched["metadata"]["resourceVersion"] = "7";
  EXPECT_EQ(UpdatedPod(old_, patched, Writer::kClient, rules_).error().status, 409);
}

TEST_F(PodStatusTest, WrongTypesAreRefusedAsAWhole) {
  const auto with = [&](const char* pointer, const Json& value) {
    Json patched = old_;
    patched[Json::json_pointer(pointer)] = value;
    return CausesOf(UpdatedPod(old_, patched, Writer::kClient, rules_));
  };
  EXPECT_THAT(with("/status", "text"), testing::ElementsAre("patch"));
  EXPECT_THAT(with("/status/containerStatuses", "text"), testing::ElementsAre("patch"));
  EXPECT_THAT(with("/status/containerStatuses/0/allocatedResourcesStatus", Json::object()),
              testing::ElementsAre("patch"));
  EXPECT_THAT(with("/status/conditions/0/status", true), testing::ElementsAre("patch"));
  EXPECT_THAT(CausesOf(UpdatedPod(old_, "text", Writer::kClient, rules_)),
              testing::ElementsAre("patch"));
}

TEST_F(PodStatusTest, NullAndEmptyListsAreAbsent) {
  EXPECT_EQ(*Send(nullptr), old_);
  EXPECT_EQ(*Send(Json::array()), old_);
}

TEST_F(PodStatusTest, GateOffDropsTheFieldWithoutAWord) {
  rules_.resource_health_status = false;
  EXPECT_EQ(*Send(SampleList()), old_);
}

TEST_F(PodStatusTest, GateOffKeepsAFieldThatIsInUse) {
  old_ = *Send(SampleList());
  rules_.resource_health_status = false;
  EXPECT_EQ(ListOf(*Send(SampleList("Unhealthy"))), SampleList("Unhealthy"));
}

TEST_F(PodStatusTest, MessageGateOffDropsTheMessageAlone) {
  rules_.resource_health_status_message = false;
  EXPECT_EQ(ListOf(*Send(SampleList("Unhealthy", "too hot"))), SampleList("Unhealthy"));
}

TEST_F(PodStatusTest, KubeletTakesOurEntriesAwayAndKeepsItsOwn) {
  old_ = *Send({Entry("claim:nic"), Entry("example.com/fpga")});
  const auto updated = UpdatedPod(old_, WithoutClaimEntries(old_), Writer::kNode, rules_);
  EXPECT_EQ(ListOf(*updated), Json::array({Entry("example.com/fpga")}));
}

TEST_F(PodStatusTest, EndedPodHasLostTheField) {
  old_ = *Send(SampleList("Unhealthy"));
  const auto updated =
      UpdatedPod(old_, Ended(old_, 1, "2026-11-30T12:00:00Z"), Writer::kNode, rules_);
  ASSERT_TRUE(updated);
  EXPECT_TRUE(ListOf(*updated).is_null());
  EXPECT_EQ((*updated)["status"]["phase"], "Failed");
  EXPECT_EQ((*updated)["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 1);
}

TEST_F(PodStatusTest, GuardPutsOurEntriesBackAfterANodesWrite) {
  OwnCondition(old_);
  old_ = *Send(SampleList());
  rules_.guard = true;
  EXPECT_EQ(*UpdatedPod(old_, WithoutClaimEntries(old_), Writer::kNode, rules_), old_);
  EXPECT_EQ(*Send(SampleList("Unknown"), Writer::kNode), old_);
  EXPECT_EQ(ListOf(*Send(Json::array({Entry("example.com/fpga")}), Writer::kNode)),
            Json({SampleList()[0], Entry("example.com/fpga")}));
}

TEST_F(PodStatusTest, GuardHoldsOnlyPodsWithOurConditionAndOnlyNodesWrites) {
  rules_.guard = true;
  const Json bare = old_;
  old_ = *Send(SampleList());
  EXPECT_EQ(*UpdatedPod(old_, WithoutClaimEntries(old_), Writer::kNode, rules_), bare);
  OwnCondition(old_);
  EXPECT_EQ(ListOf(*Send(SampleList("Unknown"), Writer::kClient)), SampleList("Unknown"));
}

}  // namespace
}  // namespace dra_health::sim

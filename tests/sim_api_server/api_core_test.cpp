#include "sim/api_server/api_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/api_server/json_patch.h"
#include "sim/api_server/kubelet.h"
#include "tests/sim_api_server/samples.h"

namespace dra_health::sim {
namespace {

using testing::HasSubstr;

constexpr const char* kPod = "/api/v1/namespaces/default/pods/pod-1";

class ApiCoreTest : public testing::Test {
 protected:
  ApiCoreTest() { core_.store().Put(Kind::kPod, SamplePod()); }

  ApiResponse Get(const std::string& path, std::map<std::string, std::string> query = {}) {
    ApiRequest request;
    request.method = "GET";
    request.path = request.target = path;
    request.query = std::move(query);
    request.token = token_;
    return core_.Handle(request);
  }

  ApiResponse Patch(const std::string& body,
                    const std::string& type = "application/json-patch+json",
                    const std::string& path = std::string(kPod) + "/status") {
    ApiRequest request;
    request.method = "PATCH";
    request.path = request.target = path;
    request.content_type = type;
    request.body = body;
    request.token = token_;
    return core_.Handle(request);
  }

  std::string ReasonOf(const ApiResponse& answer) {
    return Text(Json::parse(answer.body, nullptr, false), "reason");
  }

  FakeClock clock_;
  ApiCore core_{clock_};
  std::optional<std::string> token_;
};

TEST_F(ApiCoreTest, GetsObjectsByName) {
  core_.store().Put(Kind::kNode, {{"metadata", {{"name", "node-1"}}}});
  core_.store().Put(Kind::kClaim, {{"metadata", {{"name", "claim-1"}}}});
  EXPECT_EQ(Get(kPod).status, 200);
  EXPECT_EQ(Get(std::string(kPod) + "/status").status, 200);
  EXPECT_EQ(Get("/api/v1/nodes/node-1").status, 200);
  const ApiResponse claim =
      Get("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/claim-1");
  EXPECT_EQ(Text(Json::parse(claim.body), "apiVersion"), "resource.k8s.io/v1");
}

TEST_F(ApiCoreTest, MissingObjectIsAStatusAndMissingPathIsNot) {
  const ApiResponse missing = Get("/api/v1/namespaces/default/pods/none");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(Json::parse(missing.body)["details"], Json({{"kind", "pods"}, {"name", "none"}}));
  for (const char* path :
       {"/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims/c", "/api/v1/pods/pod-1",
        "/api/v1/namespaces/default/nodes/n", "/nowhere"}) {
    const ApiResponse answer = Get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body, "404 page not found\n") << path;
  }
}

TEST_F(ApiCoreTest, ListsWhatTheSelectorTakesWithoutTypesOnItems) {
  Json elsewhere = SamplePod("pod-2");
  elsewhere["spec"]["nodeName"] = "node-2";
  core_.store().Put(Kind::kPod, elsewhere);
  const Json list = Json::parse(
      Get("/api/v1/pods", {{"fieldSelector", "spec.nodeName=node-1"}, {"resourceVersion", "0"}})
          .body);
  EXPECT_EQ(Text(list, "kind"), "PodList");
  EXPECT_EQ(MetadataText(list, "resourceVersion"), std::to_string(core_.store().version()));
  ASSERT_EQ(list["items"].size(), 1u);
  EXPECT_FALSE(list["items"][0].contains("kind"));
}

TEST_F(ApiCoreTest, ListRefusesWhatItCannotAnswer) {
  EXPECT_EQ(Get("/api/v1/pods", {{"fieldSelector", "spec.x=1"}}).status, 400);
  EXPECT_EQ(Get("/api/v1/pods", {{"resourceVersion", "abc"}}).status, 400);
  EXPECT_EQ(Get("/api/v1/pods", {{"resourceVersion", "999999"}}).status, 504);
}

TEST_F(ApiCoreTest, WatchIsAnsweredWithAStream) {
  const ApiResponse answer = Get("/api/v1/pods", {{"watch", "true"}, {"timeoutSeconds", "7"}});
  ASSERT_TRUE(answer.watch);
  EXPECT_EQ(answer.watch->timeout(), std::chrono::seconds(7));
  EXPECT_THAT(answer.watch->Next(core_.store()), HasSubstr(R"("type":"ADDED")"));
}

TEST_F(ApiCoreTest, TokenIsAskedForOnceOneIsSet) {
  core_.SetTokens({"good", "also-good"});
  EXPECT_EQ(Get(kPod).status, 401);
  token_ = "bad";
  EXPECT_EQ(Get(kPod).status, 401);
  EXPECT_EQ(Get("/readyz").status, 401);
  token_ = "also-good";
  EXPECT_EQ(Get(kPod).status, 200);
  token_.reset();
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(Text(Json::parse(Get("/version").body), "gitVersion"), "v1.37.2");
}

TEST_F(ApiCoreTest, PatchChangesStatusAndAnswersThePod) {
  const ApiResponse answer = Patch(SamplePatch(SampleList("Unhealthy", "hot")));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(ListOf(Json::parse(answer.body)), SampleList("Unhealthy", "hot"));
  EXPECT_EQ(Json::parse(answer.body), *core_.store().Get({Kind::kPod, "default", "pod-1"}));
}

TEST_F(ApiCoreTest, RepeatedPatchChangesNoVersion) {
  Patch(SamplePatch(SampleList()));
  const std::int64_t version = core_.store().version();
  EXPECT_EQ(Patch(SamplePatch(SampleList())).status, 200);
  EXPECT_EQ(core_.store().version(), version);
}

TEST_F(ApiCoreTest, OtherPatchTypesAndPathsAreRefused) {
  EXPECT_EQ(Patch("{}", "application/merge-patch+json").status, 415);
  EXPECT_EQ(Patch("[]", "application/json-patch+json; charset=utf-8").status, 200);
  EXPECT_EQ(Patch("[]", "application/json-patch+json", kPod).status, 405);
  EXPECT_EQ(
      Patch("[]", "application/json-patch+json", "/api/v1/namespaces/default/pods/none/status")
          .status,
      404);
}

TEST_F(ApiCoreTest, FailedTestSaysNothingOfWhatFailed) {
  const ApiResponse answer =
      Patch(R"([{"op": "test", "path": "/metadata/uid", "value": "other"}])");
  EXPECT_EQ(answer.status, 422);
  const Json body = Json::parse(answer.body);
  EXPECT_EQ(Text(body, "reason"), "Invalid");
  EXPECT_EQ(body["details"], Json::object());
  EXPECT_THAT(Text(body, "message"), testing::Not(HasSubstr("uid")));
}

TEST_F(ApiCoreTest, TestsOnVersionAndOnAbsentFieldsHold) {
  const std::string version =
      MetadataText(*core_.store().Get({Kind::kPod, "default", "pod-1"}), "resourceVersion");
  EXPECT_EQ(Patch(R"([{"op": "test", "path": "/metadata/resourceVersion", "value": ")" + version +
                  R"("}, {"op": "test", "value": null, "path":
                     "/status/containerStatuses/0/allocatedResourcesStatus"}])")
                .status,
            200);
  Patch(SamplePatch(SampleList()));
  EXPECT_EQ(Patch(R"([{"op": "test", "value": null, "path":
                       "/status/containerStatuses/0/allocatedResourcesStatus"}])")
                .status,
            422);
}

TEST_F(ApiCoreTest, PatchThatIsNoneIsABadRequest) {
  for (const char* body : {"", "{}", "[1]", "not json", "[{\"op\": \"te"}) {
    EXPECT_EQ(Patch(body).status, 400) << body;
  }
  EXPECT_EQ(Patch(R"([{"op": "jump", "path": "/status"}])").status, 422);
  EXPECT_EQ(Patch(R"([{"op": "replace", "path": "/status/none/0", "value": 1}])").status, 422);
}

TEST_F(ApiCoreTest, PatchHasAMostNumberOfOperations) {
  Json operations = Json::array();
  for (int i = 0; i < 10'001; ++i) {
    operations.push_back({{"op", "test"}, {"path", "/metadata/name"}, {"value", "pod-1"}});
  }
  EXPECT_EQ(Patch(operations.dump()).status, 413);
}

TEST_F(ApiCoreTest, WritesAsANodeGoThroughTheSameRules) {
  Patch(SamplePatch(SampleList()));
  EXPECT_TRUE(core_.WriteAsNode("default", "pod-1", WithoutClaimEntries));
  EXPECT_TRUE(ListOf(*core_.store().Get({Kind::kPod, "default", "pod-1"})).is_null());
  EXPECT_FALSE(core_.WriteAsNode("default", "none", WithoutClaimEntries));
  EXPECT_FALSE(core_.WriteAsNode("default", "pod-1", [](Json pod) {
    return WithList(std::move(pod), "main", SampleList("Sick"));
  }));
}

struct FaultCase {
  FaultKind kind;
  int status;
  const char* reason;
};

class FaultAnswerTest : public ApiCoreTest, public testing::WithParamInterface<FaultCase> {};

TEST_P(FaultAnswerTest, StandsForTheAnswerOnce) {
  core_.faults().Add({.kind = GetParam().kind, .verb = "patch", .field = "status.x"});
  EXPECT_EQ(Get(kPod).status, 200);
  const ApiResponse answer = Patch("[]");
  EXPECT_EQ(answer.status, GetParam().status);
  EXPECT_EQ(ReasonOf(answer), GetParam().reason);
  EXPECT_EQ(Patch("[]").status, 200);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultAnswerTest,
                         testing::Values(FaultCase{FaultKind::kUnauthorized, 401, "Unauthorized"},
                                         FaultCase{FaultKind::kForbidden, 403, "Forbidden"},
                                         FaultCase{FaultKind::kNotFound, 404, "NotFound"},
                                         FaultCase{FaultKind::kConflict, 409, "Conflict"},
                                         FaultCase{FaultKind::kGone, 410, "Expired"},
                                         FaultCase{FaultKind::kFailedTest, 422, "Invalid"},
                                         FaultCase{FaultKind::kInvalidField, 422, "Invalid"},
                                         FaultCase{FaultKind::kPolicyDenied, 422, "Invalid"},
                                         FaultCase{FaultKind::kTooManyRequests, 429, ""},
                                         FaultCase{FaultKind::kInternalError, 500, "InternalError"},
                                         FaultCase{FaultKind::kUnavailable, 503,
                                                   "ServiceUnavailable"},
                                         FaultCase{FaultKind::kHtml, 200, ""}));

TEST_F(ApiCoreTest, ThreeKindsOf422CanBeToldApart) {
  core_.faults().Add({.kind = FaultKind::kFailedTest});
  core_.faults().Add({.kind = FaultKind::kInvalidField, .field = "status.x[0].y"});
  core_.faults().Add({.kind = FaultKind::kPolicyDenied});
  EXPECT_FALSE(Json::parse(Patch("[]").body)["details"].contains("causes"));
  EXPECT_EQ(Json::parse(Patch("[]").body)["details"]["causes"][0]["field"], "status.x[0].y");
  const Json denied = Json::parse(Patch("[]").body);
  EXPECT_FALSE(denied["details"]["causes"][0].contains("field"));
  EXPECT_THAT(Text(denied, "message"), HasSubstr("ValidatingAdmissionPolicy 'sim-policy'"));
}

TEST_F(ApiCoreTest, ForbiddenNamesThePermission) {
  core_.faults().Add({.kind = FaultKind::kForbidden});
  EXPECT_THAT(Patch("[]").body, HasSubstr(R"(cannot patch resource \"pods/status\")"));
}

TEST_F(ApiCoreTest, FaultMatchesPathAndLastsUntilCleared) {
  core_.faults().Add({.kind = FaultKind::kUnavailable, .path = "/pods/pod-1", .times = -1});
  EXPECT_EQ(Get("/api/v1/pods").status, 200);
  EXPECT_EQ(Get(kPod).status, 503);
  EXPECT_EQ(Get(kPod).status, 503);
  core_.faults().Clear();
  EXPECT_EQ(Get(kPod).status, 200);
}

TEST_F(ApiCoreTest, DeliveryFaultsCarryTheRequestOut) {
  core_.faults().Add({.kind = FaultKind::kCut});
  EXPECT_EQ(Patch(SamplePatch(SampleList())).delivery, Delivery::kCut);
  EXPECT_EQ(ListOf(*core_.store().Get({Kind::kPod, "default", "pod-1"})), SampleList());
}

}  // namespace
}  // namespace dra_health::sim

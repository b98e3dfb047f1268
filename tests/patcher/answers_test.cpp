#include "patcher/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/patcher/pod_json.h"

namespace dra_health {
namespace {

using event::PatchOutcome;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

HttpAnswer Answer(int status, const json& body) {
  return HttpResponse{.status = status, .body = body.dump()};
}

HttpAnswer Status(int code, const std::string& reason, const std::string& message,
                  const json& causes = nullptr) {
  json status{{"kind", "Status"}, {"status", "Failure"}, {"code", code},
              {"reason", reason}, {"message", message},  {"details", json::object()}};
  if (!causes.is_null()) status["details"]["causes"] = causes;
  return Answer(code, status);
}

const char* const kHtml = "\n<!DOCTYPE html><html><body>Bad gateway</body></html>";

class PatchAnswer : public testing::Test {
 protected:
  event::PatchDone Read(const HttpAnswer& answer) { return ReadPatchAnswer(patch_, answer); }
  PodPatch patch_{
      .pod = dra_health::Read(SamplePod()),
      .want = {.containers = {{.path = {}, .container = "main", .entries = {{"claim:gpu", {}}}}}}};
};

TEST_F(PatchAnswer, SuccessCarriesThePodAsTheServerHasIt) {
  const auto done = Read(Answer(200, SamplePod()));
  EXPECT_EQ(done.outcome, PatchOutcome::kApplied);
  EXPECT_EQ(done.uid, "uid-1");
  ASSERT_NE(done.answer, nullptr);
  EXPECT_EQ(done.answer->resource_version, "42");
}

TEST_F(PatchAnswer, SuccessWithSomethingElseIsTriedAgain) {
  for (const std::string& body : {std::string(kHtml), std::string(), std::string("{\"kind\":")}) {
    const auto done = Read(HttpResponse{.status = 200, .body = body});
    EXPECT_EQ(done.outcome, PatchOutcome::kRetry) << body;
    EXPECT_THAT(done.why, HasSubstr("PATCH status of pod shop/web"));
  }
}

TEST_F(PatchAnswer, AMissingPodIsGone) {
  EXPECT_EQ(Read(Status(404, "NotFound", "pods \"web\" not found")).outcome, PatchOutcome::kGone);
}

TEST_F(PatchAnswer, AConflictIsStale) {
  EXPECT_EQ(Read(Status(409, "Conflict", "modified")).outcome, PatchOutcome::kStale);
}

TEST_F(PatchAnswer, AFailedTestIsStale) {
  const auto done = Read(
      Status(422, "Invalid", "the server rejected our request due to an error in our request"));
  EXPECT_EQ(done.outcome, PatchOutcome::kStale);
  EXPECT_THAT(done.invalid, IsEmpty());
}

json Cause(const std::string& field) {
  return {
      {"reason", "FieldValueInvalid"}, {"message", "Invalid value: \"claim:x\""}, {"field", field}};
}

TEST_F(PatchAnswer, ValidationNamesTheEntry) {
  const auto done = Read(Status(
      422, "Invalid", "Pod \"web\" is invalid",
      {Cause("status.containerStatuses[0].allocatedResourcesStatus[0].name"),
       Cause("status.initContainerStatuses[3].allocatedResourcesStatus[1].resources[2].message"),
       Cause("status.containerStatuses[0].allocatedResourcesStatus"), Cause("spec.nodeName")}));
  EXPECT_EQ(done.outcome, PatchOutcome::kInvalid);
  ASSERT_EQ(done.invalid.size(), 3u);
  EXPECT_EQ(done.invalid[0].path, (StatusPath{.init = false, .index = 0}));
  EXPECT_EQ(done.invalid[0].entry, 0u);
  EXPECT_THAT(done.invalid[0].why, HasSubstr("allocatedResourcesStatus[0].name: Invalid value"));
  EXPECT_EQ(done.invalid[1].path, (StatusPath{.init = true, .index = 3}));
  EXPECT_EQ(done.invalid[2].entry, std::nullopt);
}

TEST_F(PatchAnswer, AnEntryOfOthersIsNotOursToLeaveOut) {
  const auto done =
      Read(Status(422, "Invalid", "m",
                  json::array({Cause("status.containerStatuses[0].allocatedResourcesStatus[1]")})));
  ASSERT_EQ(done.invalid.size(), 1u);
  EXPECT_EQ(done.invalid[0].entry, std::nullopt);
}

TEST_F(PatchAnswer, ValidationOfSomethingElseNamesNoEntry) {
  for (const char* field : {"metadata.name", "status.conditions[0]", "status.containerStatuses",
                            "status.containerStatuses[x].name", "status.containerStatuses[0", ""}) {
    const auto done = Read(Status(422, "Invalid", "m", {Cause("spec"), Cause(field)}));
    EXPECT_EQ(done.outcome, PatchOutcome::kInvalid) << field;
    EXPECT_THAT(done.invalid, IsEmpty()) << field;
  }
}

TEST_F(PatchAnswer, APolicysDenialNamesThePolicy) {
  const std::string message =
      "pods \"web\" is forbidden: ValidatingAdmissionPolicy 'agent' with binding 'b' denied "
      "request: not a pod of the agent's node";
  for (const auto& [code, reason] : {std::pair{422, "Invalid"}, {403, "Forbidden"}}) {
    const auto done = Read(Status(code, reason, message, {{{"message", message}}}));
    EXPECT_EQ(done.outcome, PatchOutcome::kDenied) << code;
    EXPECT_THAT(done.why, HasSubstr("ValidatingAdmissionPolicy 'agent'"));
  }
}

TEST_F(PatchAnswer, AWebhooksDenialIsOneToo) {
  const auto done =
      Read(Status(403, "Forbidden", "admission webhook \"w.example.com\" denied the request: no"));
  EXPECT_EQ(done.outcome, PatchOutcome::kDenied);
}

TEST_F(PatchAnswer, AMissingPermissionIsNamed) {
  const auto done = Read(Status(403, "Forbidden",
                                "pods \"web\" is forbidden: User \"agent\" cannot patch resource "
                                "\"pods/status\" in API group \"\" in the namespace \"shop\""));
  EXPECT_EQ(done.outcome, PatchOutcome::kForbidden);
  EXPECT_THAT(done.why, HasSubstr("missing permission to patch pods/status"));
}

TEST_F(PatchAnswer, PassingTroubleIsTriedAgain) {
  for (const int code : {401, 408, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(Read(Status(code, "Some", "m")).outcome, PatchOutcome::kRetry) << code;
  }
}

TEST_F(PatchAnswer, RetryAfterIsPassedOn) {
  HttpAnswer answer = Status(429, "TooManyRequests", "m");
  answer->retry_after = std::chrono::seconds{7};
  EXPECT_EQ(Read(answer).retry_after, std::chrono::seconds{7});
  answer = Status(503, "ServiceUnavailable", "m");
  json body = json::parse(answer->body);
  body["details"]["retryAfterSeconds"] = 3;
  EXPECT_EQ(Read(Answer(503, body)).retry_after, std::chrono::seconds{3});
}

TEST_F(PatchAnswer, WhatNoApiServerSaysProvesNothingAboutThePod) {
  for (const int code : {301, 403, 404, 409, 422, 500}) {
    const auto html = Read(HttpResponse{.status = code, .body = kHtml});
    EXPECT_EQ(html.outcome, PatchOutcome::kRetry) << code;
    EXPECT_THAT(html.why, HasSubstr("HTML page instead of JSON"));
    const auto empty = Read(HttpResponse{.status = code});
    EXPECT_EQ(empty.outcome, PatchOutcome::kRetry) << code;
    EXPECT_THAT(empty.why, HasSubstr("empty body"));
  }
}

TEST_F(PatchAnswer, NoAnswerSaysWhy) {
  const auto done =
      Read(tl::unexpected(HttpError{HttpFault::kTimeout, "no complete answer in time"}));
  EXPECT_EQ(done.outcome, PatchOutcome::kRetry);
  EXPECT_EQ(done.why, "PATCH status of pod shop/web: no complete answer in time");
}

json SampleClaim() { return {{"metadata", {{"uid", "u"}, {"namespace", "shop"}, {"name", "c"}}}}; }

Error ClaimError(const HttpAnswer& answer) {
  const auto claim = ReadClaimAnswer("shop", "c", answer);
  EXPECT_FALSE(claim);
  return claim ? Error{} : claim.error();
}

TEST(ClaimAnswer, IsTheClaim) {
  const auto claim = ReadClaimAnswer("shop", "c", Answer(200, SampleClaim()));
  ASSERT_TRUE(claim);
  EXPECT_EQ((*claim)->name, "c");
}

TEST(ClaimAnswer, NotFoundIsFinalForTheItem) {
  const Error error = ClaimError(Status(404, "NotFound", "resourceclaims \"c\" not found"));
  EXPECT_EQ(error.kind, ErrorKind::kItem);
  EXPECT_EQ(error.message, "ResourceClaim shop/c not found");
}

TEST(ClaimAnswer, AServerWithoutTheApiIsSaidSo) {
  const Error error = ClaimError(HttpResponse{.status = 404, .body = "404 page not found\n"});
  EXPECT_EQ(error.kind, ErrorKind::kItem);
  EXPECT_THAT(error.message, HasSubstr("resource.k8s.io/v1 (Kubernetes 1.34)"));
}

TEST(ClaimAnswer, ForbiddenNamesThePermission) {
  const Error error = ClaimError(Status(403, "Forbidden", "User \"agent\" cannot get resource"));
  EXPECT_EQ(error.kind, ErrorKind::kItem);
  EXPECT_THAT(error.message, HasSubstr("missing permission to get resourceclaims"));
}

TEST(ClaimAnswer, TheRestIsTriedAgain) {
  EXPECT_EQ(ClaimError(Status(500, "InternalError", "m")).kind, ErrorKind::kRetry);
  EXPECT_EQ(ClaimError(Status(401, "Unauthorized", "m")).kind, ErrorKind::kRetry);
  EXPECT_EQ(ClaimError(HttpResponse{.status = 404, .body = kHtml}).kind, ErrorKind::kRetry);
  EXPECT_EQ(ClaimError(HttpResponse{.status = 200, .body = kHtml}).kind, ErrorKind::kRetry);
  EXPECT_EQ(ClaimError(HttpResponse{.status = 200}).kind, ErrorKind::kRetry);
  const Error broken = ClaimError(tl::unexpected(HttpError{HttpFault::kConnect, "refused"}));
  EXPECT_EQ(broken.kind, ErrorKind::kRetry);
  EXPECT_EQ(broken.message, "GET ResourceClaim shop/c: refused");
}

TEST(PodAnswer, IsThePodOrThatThereIsNone) {
  EXPECT_TRUE(ReadPodAnswer("shop", "web", Answer(200, SamplePod())));
  const auto gone = ReadPodAnswer("shop", "web", Status(404, "NotFound", "not found"));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::kItem);
}

TEST(PodAnswer, ThatWeMayNotLookSaysNothingAboutThePod) {
  const auto forbidden = ReadPodAnswer("shop", "web", Status(403, "Forbidden", "cannot get"));
  ASSERT_FALSE(forbidden);
  EXPECT_EQ(forbidden.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(forbidden.error().message, HasSubstr("missing permission to get pods"));
}

}  // namespace
}  // namespace dra_health

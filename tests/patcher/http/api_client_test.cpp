#include "patcher/api_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "sim/api_server/api_server.h"
#include "tests/patcher/events.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using event::PatchOutcome;
using nlohmann::json;
using sim::ApiServer;
using sim::FaultKind;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr seconds kLong{20};

std::string PodText(const std::string& name, const std::string& node = "node-1") {
  return json{
      {"metadata", {{"name", name}, {"namespace", "shop"}, {"uid", "uid-" + name}}},
      {"spec",
       {{"nodeName", node},
        {"resourceClaims", {{{"name", "gpu"}, {"resourceClaimName", name + "-gpu"}}}},
        {"containers", {{{"name", "main"}, {"resources", {{"claims", {{{"name", "gpu"}}}}}}}}}}},
      {"status",
       {{"phase", "Running"},
        {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
        {"containerStatuses", {{{"name", "main"}, {"ready", true}, {"restartCount", 0}}}}}}}
      .dump();
}

Publication Want(Health health) {
  return {.containers = {{.path = {},
                          .container = "main",
                          .entries = {{"claim:gpu", {{"d/p/gpu-0", health, "words"}}}}}},
          .condition = ConditionStatus{health, "Because", "gpu-0"}};
}

class RealClient : public testing::Test {
 protected:
  RealClient() {
    EXPECT_TRUE(server_.Start());
    server_.PutNode("node-1");
  }
  void Connect(std::chrono::milliseconds timeout = kLong) {
    const auto kubeconfig = folder_.path() / "kubeconfig";
    ASSERT_TRUE(server_.WriteKubeconfig(kubeconfig));
    auto client = ApiClient::Create(
        {.kubeconfig = kubeconfig, .node_name = "node-1", .timeout = timeout}, queue_);
    ASSERT_TRUE(client) << client.error().message;
    client_ = *std::move(client);
  }
  // The one pod, as the watch gives it.
  std::shared_ptr<const Pod> StartWithPod() {
    server_.PutPod(PodText("web"));
    Connect();
    client_->Start();
    const auto listed = events_.Next<event::PodsListed>();
    EXPECT_TRUE(listed && listed->pods.size() == 1);
    return listed && !listed->pods.empty() ? listed->pods[0] : nullptr;
  }
  // Something came through it: a watch that the server calls open may not have been answered yet.
  void WaitUntilWatching() {
    server_.PutPod(PodText("probe"));
    EXPECT_TRUE(events_.Next<event::PodChanged>());
  }
  event::PatchDone Patch(const std::shared_ptr<const Pod>& pod, Health health) {
    client_->Patch({.pod = pod, .want = Want(health), .now = {}});
    // The watch tells of the same change, sooner or later.
    for (;;) {
      std::optional<Event> event = events_.Next();
      EXPECT_TRUE(event);
      if (!event) return {};
      if (auto* done = std::get_if<event::PatchDone>(&*event)) return std::move(*done);
    }
  }
  void Fault(FaultKind kind, const std::string& verb, int times = 1) {
    server_.AddFault({.kind = kind, .verb = verb, .times = times});
  }

  TempFolder folder_;
  ApiServer server_;
  EventQueue queue_;
  Events events_{queue_};
  std::unique_ptr<ApiClient> client_;
};

TEST_F(RealClient, FollowsThePodsOfItsNode) {
  server_.PutPod(PodText("web"));
  server_.PutPod(PodText("elsewhere", "node-2"));
  Connect();
  client_->Start();
  const auto listed = events_.Next<event::PodsListed>();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->pods.size(), 1u);
  EXPECT_EQ(listed->pods[0]->claims.at(0).claim_name, "web-gpu");
  server_.PutPod(PodText("second"));
  const auto changed = events_.Next<event::PodChanged>();
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->pod->uid, "uid-second");
  server_.DeletePod("shop", "web");
  const auto deleted = events_.Next<event::PodDeleted>();
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->uid, "uid-web");
}

TEST_F(RealClient, ListsOnceHoweverOftenWatchesEnd) {
  StartWithPod();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(server_.WaitForWatches(1, kLong));
    server_.BreakWatches(FaultKind::kWatchClosed);
    ASSERT_TRUE(server_.WaitForCount("watch", "pods", static_cast<std::size_t>(i) + 2, kLong));
  }
  EXPECT_EQ(server_.Count("list", "pods"), 1u);
  EXPECT_EQ(server_.Count("get", "nodes"), 1u);
}

TEST_F(RealClient, AfterAnOutageItGoesOnFromWhereItWas) {
  StartWithPod();
  WaitUntilWatching();
  server_.Stop();
  server_.PutPod(PodText("meanwhile"));
  ASSERT_TRUE(server_.Start());
  EXPECT_TRUE(events_.Next<event::ApiReconnected>());
  const auto changed = events_.Next<event::PodChanged>();
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->pod->uid, "uid-meanwhile");
  EXPECT_EQ(server_.Count("list", "pods"), 1u);
}

TEST_F(RealClient, NoticesWhatWasDeletedWhileTheServerForgot) {
  StartWithPod();
  WaitUntilWatching();
  server_.Stop();
  server_.DeletePod("shop", "web");
  server_.DeletePod("shop", "probe");
  server_.Compact();
  ASSERT_TRUE(server_.Start());
  std::optional<event::PodsListed> listed;
  for (std::optional<Event> event; !listed && (event = events_.Next());) {
    if (auto* found = std::get_if<event::PodsListed>(&*event)) listed = std::move(*found);
  }
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->pods.empty());
}

TEST_F(RealClient, PublishesFieldAndCondition) {
  const auto done = Patch(StartWithPod(), Health::kUnhealthy);
  ASSERT_EQ(done.outcome, PatchOutcome::kApplied) << done.why;
  ASSERT_NE(done.answer, nullptr);
  EXPECT_EQ(done.answer->statuses.at(0).claim_entries,
            Want(Health::kUnhealthy).containers[0].entries);
  ASSERT_TRUE(done.answer->condition);
  EXPECT_EQ(done.answer->condition->status.summary, Health::kUnhealthy);
  const auto again = Patch(done.answer, Health::kHealthy);
  EXPECT_EQ(again.outcome, PatchOutcome::kApplied) << again.why;
}

TEST_F(RealClient, ShowsThatAServerDropsTheField) {
  server_.SetResourceHealthStatus(false);
  const auto done = Patch(StartWithPod(), Health::kUnhealthy);
  ASSERT_EQ(done.outcome, PatchOutcome::kApplied) << done.why;
  EXPECT_TRUE(done.answer->statuses.at(0).claim_entries.empty());
  EXPECT_TRUE(done.answer->condition);
}

TEST_F(RealClient, TellsANamesakeFromThePod) {
  const auto pod = StartWithPod();
  json namesake = json::parse(PodText("web"));
  namesake["metadata"]["uid"] = "another";
  server_.PutPod(namesake.dump());
  EXPECT_EQ(Patch(pod, Health::kHealthy).outcome, PatchOutcome::kStale);
}

TEST_F(RealClient, AnEntryThatIsNotThePodsIsNamed) {
  const auto pod = StartWithPod();
  Publication want = Want(Health::kHealthy);
  want.containers[0].entries.push_back({"claim:nope", {}});
  client_->Patch({.pod = pod, .want = want, .now = {}});
  const auto done = events_.Next<event::PatchDone>();
  ASSERT_TRUE(done);
  ASSERT_EQ(done->outcome, PatchOutcome::kInvalid) << done->why;
  ASSERT_EQ(done->invalid.size(), 1u);
  EXPECT_EQ(done->invalid[0].entry, 1u);
}

TEST_F(RealClient, EachRefusalHasItsOutcome) {
  const auto pod = StartWithPod();
  const std::pair<FaultKind, PatchOutcome> cases[] = {
      {FaultKind::kForbidden, PatchOutcome::kForbidden},
      {FaultKind::kNotFound, PatchOutcome::kGone},
      {FaultKind::kConflict, PatchOutcome::kStale},
      {FaultKind::kFailedTest, PatchOutcome::kStale},
      {FaultKind::kPolicyDenied, PatchOutcome::kDenied},
      {FaultKind::kTooManyRequests, PatchOutcome::kRetry},
      {FaultKind::kInternalError, PatchOutcome::kRetry},
      {FaultKind::kUnavailable, PatchOutcome::kRetry},
      {FaultKind::kHtml, PatchOutcome::kRetry},
      {FaultKind::kTruncate, PatchOutcome::kRetry},
  };
  for (const auto& [kind, outcome] : cases) {
    Fault(kind, "patch");
    const auto done = Patch(pod, Health::kHealthy);
    EXPECT_EQ(done.outcome, outcome) << done.why;
    EXPECT_THAT(done.why, HasSubstr("PATCH status of pod shop/web"));
  }
}

TEST_F(RealClient, RetryAfterReachesTheReconciler) {
  const auto pod = StartWithPod();
  server_.AddFault(
      {.kind = FaultKind::kTooManyRequests, .verb = "patch", .retry_after = seconds{9}});
  EXPECT_EQ(Patch(pod, Health::kHealthy).retry_after, seconds{9});
}

TEST_F(RealClient, AStaleTokenIsReadAgainInPlace) {
  const auto token = folder_.Write("token", "sim-token");
  const auto kubeconfig =
      folder_.Write("own",
                    "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
                    "clusters: [{name: c, cluster: {server: '" +
                        server_.url() + "', certificate-authority: '" + server_.ca_file().string() +
                        "'}}]\nusers: [{name: u, user: {tokenFile: token}}]\n");
  auto client = ApiClient::Create({.kubeconfig = kubeconfig, .node_name = "node-1"}, queue_);
  ASSERT_TRUE(client) << client.error().message;
  server_.PutPod(PodText("web"));
  (*client)->ReadPod("shop", "web", "uid-web");
  ASSERT_TRUE(events_.Next<event::PodRead>()->pod);
  folder_.Write("token", "next-token");
  server_.SetTokens({"next-token"});
  (*client)->ReadPod("shop", "web", "uid-web");
  EXPECT_TRUE(events_.Next<event::PodRead>()->pod);
  EXPECT_EQ(server_.Count("get", "pods"), 3u);
}

TEST_F(RealClient, APatchThatWasCutIsSentAgainInPlace) {
  const auto pod = StartWithPod();
  const auto first = Patch(pod, Health::kUnhealthy);
  ASSERT_EQ(first.outcome, PatchOutcome::kApplied) << first.why;
  Fault(FaultKind::kCut, "patch");
  // Without an append of the condition the second attempt stands on the same ground as the first.
  EXPECT_EQ(Patch(first.answer, Health::kHealthy).outcome, PatchOutcome::kApplied);
}

TEST_F(RealClient, ReadsClaims) {
  server_.PutClaim(
      json{{"metadata", {{"name", "web-gpu"}, {"namespace", "shop"}}},
           {"status",
            {{"allocation",
              {{"devices",
                {{"results",
                  {{{"request", "r"}, {"driver", "d"}, {"pool", "p"}, {"device", "x"}}}}}}}}}}}
          .dump());
  Connect();
  client_->ReadClaim("shop", "web-gpu", "uid");
  const auto read = events_.Next<event::ClaimRead>();
  ASSERT_TRUE(read);
  ASSERT_TRUE(read->claim) << read->claim.error().message;
  EXPECT_EQ((*read->claim)->results.at(0).key, (DeviceKey{"d", "p", "x"}));
  client_->ReadClaim("shop", "none", "uid");
  const auto none = events_.Next<event::ClaimRead>();
  ASSERT_TRUE(none);
  EXPECT_EQ(none->claim.error().kind, ErrorKind::kItem);
}

TEST_F(RealClient, AServerThatHangsCostsNoMoreThanTheTimeout) {
  Connect(std::chrono::milliseconds{300});
  Fault(FaultKind::kHang, "get", -1);
  client_->ReadClaim("shop", "c", "uid");
  const auto read = events_.Next<event::ClaimRead>();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->claim.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(read->claim.error().message, HasSubstr("no complete answer in time"));
}

TEST_F(RealClient, StopEndsEverythingUnderWay) {
  StartWithPod();
  ASSERT_TRUE(server_.WaitForWatches(1, kLong));
  Fault(FaultKind::kHang, "get", -1);
  for (int i = 0; i < 10; ++i) client_->ReadClaim("shop", "c", "uid");
  ASSERT_TRUE(server_.WaitForCount("get", "resourceclaims", 4, kLong));
  client_->Stop();  // returns, although four requests would hang for kLong
  EXPECT_EQ(server_.Count("get", "resourceclaims"), 4u);
}

TEST_F(RealClient, ABurstOfPatchesUsesAHandfulOfConnections) {
  constexpr int kPods = 100;
  for (int i = 0; i < kPods; ++i) server_.PutPod(PodText("p" + std::to_string(i)));
  Connect();
  client_->Start();
  const auto listed = events_.Next<event::PodsListed>();
  ASSERT_TRUE(listed);
  for (const auto& pod : listed->pods) {
    client_->Patch({.pod = pod, .want = Want(Health::kUnhealthy), .now = {}});
  }
  int applied = 0;
  for (std::optional<Event> event; applied < kPods && (event = events_.Next());) {
    const auto* done = std::get_if<event::PatchDone>(&*event);
    if (done == nullptr) continue;
    ASSERT_EQ(done->outcome, PatchOutcome::kApplied) << done->why;
    ++applied;
  }
  EXPECT_EQ(applied, kPods);
  std::set<std::string> connections;
  for (const auto& request : server_.Requests()) {
    if (request.verb == "patch") connections.insert(request.connection);
  }
  EXPECT_LE(connections.size(), 12u);
  EXPECT_EQ(server_.Count("patch"), static_cast<std::size_t>(kPods));
  EXPECT_EQ(server_.Count("get", "pods"), 0u);
}

TEST(ApiClientCreate, SaysWhatIsWrongWithTheCredentials) {
  EventQueue queue;
  const auto no_file = ApiClient::Create({.kubeconfig = "/nonexistent/config"}, queue);
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().kind, ErrorKind::kFatal);
  EXPECT_THAT(no_file.error().message, HasSubstr("/nonexistent/config"));
}

}  // namespace
}  // namespace dra_health

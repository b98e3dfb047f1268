#include "patcher/api_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "patcher/work_queue.h"
#include "tests/patcher/events.h"
#include "tests/patcher/pod_json.h"
#include "tests/patcher/scripted_http.h"

namespace dra_health {
namespace {

using nlohmann::json;

class Client : public testing::Test {
 protected:
  explicit Client(std::chrono::milliseconds last_answers = {}) {
    auto http = std::make_unique<ScriptedHttp>();
    http_ = http.get();
    client_ = MakeApiClient({.node_name = "node-1", .last_answers = last_answers}, {},
                            std::move(http), queue_);
  }
  EventQueue queue_;
  Events events_{queue_};
  std::unique_ptr<ApiClient> client_;
  ScriptedHttp* http_;
};

TEST_F(Client, ReadsAClaimByName) {
  const json claim{{"metadata", {{"uid", "u"}, {"namespace", "shop"}, {"name", "c"}}}};
  http_->Script({.answer = HttpResponse{.status = 200, .body = claim.dump()}});
  client_->ReadClaim("shop", "c", "uid");
  const auto read = events_.Next<event::ClaimRead>();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->namespace_name, "shop");
  EXPECT_EQ(read->name, "c");
  ASSERT_TRUE(read->claim);
  EXPECT_EQ((*read->claim)->uid, "u");
  EXPECT_EQ(http_->Requests()[0].target,
            "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims/c");
}

TEST_F(Client, ReadsAPodAndSaysWhichOneWasAskedFor) {
  json namesake = SamplePod();
  namesake["metadata"]["uid"] = "uid-2";
  http_->Script({.answer = HttpResponse{.status = 200, .body = namesake.dump()}});
  client_->ReadPod("shop", "web", "uid-1");
  const auto read = events_.Next<event::PodRead>();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->uid, "uid-1");
  ASSERT_TRUE(read->pod);
  EXPECT_EQ((*read->pod)->uid, "uid-2");
}

TEST_F(Client, PatchesTheStatusAndNothingElse) {
  http_->Script({.answer = HttpResponse{.status = 200, .body = SamplePod().dump()}});
  client_->Patch({.pod = Read(SamplePod()), .want = {}, .now = {}});
  const auto done = events_.Next<event::PatchDone>();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->outcome, event::PatchOutcome::kApplied);
  const HttpRequest request = http_->Requests().at(0);
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.target, "/api/v1/namespaces/shop/pods/web/status");
  EXPECT_EQ(request.content_type, "application/json-patch+json");
  EXPECT_EQ(json::parse(request.body)[0]["path"], "/metadata/uid");
}

TEST_F(Client, EscapesNamesInPaths) {
  http_->Script({});
  client_->ReadPod("a/../b", "x?y z", "u");
  ASSERT_TRUE(events_.Next<event::PodRead>());
  EXPECT_EQ(http_->Requests()[0].target, "/api/v1/namespaces/a%2F..%2Fb/pods/x%3Fy%20z");
}

TEST_F(Client, HasFourRequestsUnderWayAtOnceAndNoMore) {
  for (int i = 0; i < 6; ++i) client_->ReadClaim("shop", "c" + std::to_string(i), "uid");
  ASSERT_TRUE(http_->WaitForCount("resourceclaims", 4));
  EXPECT_EQ(http_->Count("resourceclaims"), 4u);
  http_->Script({});
  ASSERT_TRUE(events_.Next<event::ClaimRead>());
  ASSERT_TRUE(http_->WaitForCount("resourceclaims", 5));
}

TEST_F(Client, StopEndsWhatIsUnderWayAndForgetsTheRest) {
  client_->Start();
  for (int i = 0; i < 20; ++i) client_->ReadClaim("shop", "c", "uid");
  ASSERT_TRUE(http_->WaitForCount("resourceclaims", 4));
  client_->Stop();
  EXPECT_EQ(http_->Count("resourceclaims"), 4u);
  client_->ReadClaim("shop", "late", "uid");
  client_->Stop();
}

class PatientClient : public Client {
 protected:
  PatientClient() : Client(std::chrono::hours{1}) {}
};

TEST_F(PatientClient, StopTakesAnAnswerThatComesInTime) {
  client_->Patch({.pod = Read(SamplePod()), .want = {}, .now = {}});
  ASSERT_TRUE(http_->WaitForCount("pods/web/status", 1));
  const auto stopped = std::async(std::launch::async, [this] { client_->Stop(); });
  EXPECT_FALSE(http_->IsStoppedWithin(std::chrono::milliseconds{20})) << "the request is under way";
  http_->Script({.answer = HttpResponse{.status = 200, .body = SamplePod().dump()}});
  const auto done = events_.Next<event::PatchDone>();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->outcome, event::PatchOutcome::kApplied);
}

TEST(WorkQueue, CloseDropsWhatWasNotBegunAndJoinWaitsForWhatWas) {
  struct Dropped {
    ~Dropped() { done.set_value(); }
    std::promise<void> done;
  };
  auto dropped = std::make_shared<Dropped>();
  std::future<void> cleared = dropped->done.get_future();
  WorkQueue queue(1);
  std::promise<void> begun;
  std::promise<void> go_on;
  int ran = 0;
  queue.Add([&] {
    begun.set_value();
    go_on.get_future().wait();
    ++ran;
  });
  begun.get_future().wait();
  queue.Add([&ran, dropped = std::move(dropped)] { ++ran; });
  queue.Close();
  cleared.wait();
  go_on.set_value();
  queue.Join();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace dra_health

#include <future>
#include <thread>

#include "tests/sim_api_server/api_server_fixture.h"

namespace dra_health::sim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// What happens to answers on their way; with TLS and without, as the bytes differ.
class ApiServerDeliveryTest : public ApiServerFixture, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    ApiServerOptions options;
    options.tls = GetParam();
    Start(options);
    client_ = std::make_unique<TestClient>(*server_);
  }

  std::unique_ptr<TestClient> client_;
};

TEST_P(ApiServerDeliveryTest, CutComesAfterTheRequestWasCarriedOut) {
  server_->AddFault({.kind = FaultKind::kCut, .verb = "patch"});
  EXPECT_EQ(client_->Patch("pod-1", SamplePatch(SampleList())).status, 0);
  EXPECT_EQ(ListOf(Json::parse(server_->GetPod("default", "pod-1"))), SampleList());
  EXPECT_EQ(server_->Requests().at(0).status, 0);
  EXPECT_EQ(client_->Patch("pod-1", SamplePatch(SampleList())).status, 200);
}

TEST_P(ApiServerDeliveryTest, IdleConnectionsCanBeCut) {
  EXPECT_EQ(client_->Get(kPodPath).status, 200);
  server_->CutConnections();
  // The client finds out only by using its pooled connections, one after the other.
  int status = 0;
  for (int attempt = 0; attempt < 5 && status != 200; ++attempt) {
    status = client_->Get(kPodPath).status;
  }
  EXPECT_EQ(status, 200);
  EXPECT_NE(server_->Requests().front().connection, server_->Requests().back().connection);
}

TEST_P(ApiServerDeliveryTest, TruncatedBodyBreaksInTheMiddle) {
  server_->AddFault({.kind = FaultKind::kTruncate});
  const HttpAnswer answer = client_->Get(kPodPath);
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.whole);
}

TEST_P(ApiServerDeliveryTest, DrippingBodyComesWholeInTheEnd) {
  server_->AddFault({.kind = FaultKind::kDrip, .interval = std::chrono::milliseconds(0)});
  const HttpAnswer answer = client_->Get(kPodPath);
  EXPECT_TRUE(answer.whole);
  EXPECT_EQ(answer.body, server_->GetPod("default", "pod-1"));
}

TEST_P(ApiServerDeliveryTest, DrippingBodyTakesItsTime) {
  server_->AddFault({.kind = FaultKind::kDrip, .interval = std::chrono::hours(1)});
  auto answer = std::async(std::launch::async, [this] { return client_->Get(kPodPath); });
  ASSERT_TRUE(server_->WaitForCount("get", "pods", 1, kPatience));
  EXPECT_NE(answer.wait_for(std::chrono::milliseconds(50)), std::future_status::ready);
  server_->Stop();
  const HttpAnswer got = answer.get();
  EXPECT_FALSE(got.whole);
}

TEST_P(ApiServerDeliveryTest, HangingRequestHangsUntilTheServerStops) {
  server_->AddFault({.kind = FaultKind::kHang});
  auto answer = std::async(std::launch::async, [this] { return client_->Get(kPodPath); });
  ASSERT_TRUE(server_->WaitForCount("get", "pods", 1, kPatience));
  EXPECT_EQ(TestClient(*server_).Get(kPodPath).status, 200);
  EXPECT_NE(answer.wait_for(std::chrono::milliseconds(0)), std::future_status::ready);
  server_->Stop();
  EXPECT_EQ(answer.get().status, 0);
}

TEST_P(ApiServerDeliveryTest, RetryAfterIsAHeader) {
  server_->AddFault({.kind = FaultKind::kTooManyRequests, .retry_after = std::chrono::seconds(7)});
  const HttpAnswer answer = client_->Get(kPodPath);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.at("Retry-After"), "7");
}

TEST_P(ApiServerDeliveryTest, HtmlComesInsteadOfJson) {
  server_->AddFault({.kind = FaultKind::kHtml});
  const HttpAnswer answer = client_->Get(kPodPath);
  EXPECT_THAT(answer.headers.at("Content-Type"), HasSubstr("text/html"));
  EXPECT_THAT(answer.body, StartsWith("<!DOCTYPE html>"));
}

TEST_P(ApiServerDeliveryTest, LargeAnswersAndRequestsPassWhole) {
  Json pod = SamplePod("large");
  pod["metadata"]["annotations"]["fill"] = std::string(2'000'000, 'x');
  server_->PutPod(pod.dump());
  const HttpAnswer got = client_->Get("/api/v1/namespaces/default/pods/large");
  EXPECT_EQ(got.body, server_->GetPod("default", "large"));
  const std::string patch = R"([{"op": "add", "path": "/status/message", "value": ")" +
                            std::string(500'000, 'y') + "\"}]";
  EXPECT_EQ(client_->Patch("large", patch).status, 200);
  EXPECT_EQ(server_->Requests().back().body, patch);
}

TEST_P(ApiServerDeliveryTest, MalformedPathIsABadRequest) {
  EXPECT_EQ(client_->Get("/api/v1/pods?fieldSelector=%zz").status, 400);
}

INSTANTIATE_TEST_SUITE_P(Transport, ApiServerDeliveryTest, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Tls" : "Plain"; });

}  // namespace
}  // namespace dra_health::sim

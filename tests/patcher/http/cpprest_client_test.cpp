#include "patcher/http/cpprest_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <set>
#include <thread>

#include "sim/api_server/api_server.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using sim::ApiServer;
using sim::ApiServerOptions;
using sim::FaultKind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr seconds kLong{20};
constexpr milliseconds kShort{300};

class Transport : public testing::Test {
 protected:
  void Serve(ApiServerOptions options = {}) {
    server_.emplace(options);
    ASSERT_TRUE(server_->Start());
    server_->PutNode("node-1");
    const auto address = ParseServerAddress(server_->url());
    ASSERT_TRUE(address) << address.error();
    credentials_.server = *address;
    credentials_.tls.ca.file = server_->ca_file();
    Connect();
  }
  void Connect() {
    auto http = MakeHttpClient(credentials_);
    ASSERT_TRUE(http) << http.error().message;
    http_ = *std::move(http);
  }
  void Fault(FaultKind kind, int times = 1) { server_->AddFault({.kind = kind, .times = times}); }
  HttpAnswer Get(milliseconds timeout = kLong) {
    return http_->Send({.method = "GET",
                        .target = "/api/v1/nodes/node-1",
                        .token = "sim-token",
                        .timeout = timeout});
  }
  HttpFault FaultOf(const HttpAnswer& answer) {
    EXPECT_FALSE(answer) << answer->status << " " << answer->body;
    return answer ? HttpFault::kEnded : answer.error().fault;
  }

  std::optional<ApiServer> server_;
  Credentials credentials_;
  std::unique_ptr<HttpClient> http_;
};

TEST_F(Transport, VerifiesAnIpv4LiteralAgainstTheCertificate) {
  Serve();
  const HttpAnswer answer = Get();
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->body, HasSubstr("node-1"));
}

TEST_F(Transport, VerifiesAnIpv6LiteralAgainstTheCertificate) {
  Serve({.address = "::1"});
  const HttpAnswer answer = Get();
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 200);
}

TEST_F(Transport, SpeaksPlainHttpWhereToldTo) {
  Serve({.tls = false});
  const HttpAnswer answer = Get();
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 200);
}

TEST_F(Transport, RefusesACertificateOfAnotherAuthority) {
  Serve();
  ApiServer other;
  ASSERT_TRUE(other.Start());
  credentials_.tls.ca.file = other.ca_file();
  Connect();
  const HttpAnswer answer = Get();
  EXPECT_EQ(FaultOf(answer), HttpFault::kConnect);
  EXPECT_THAT(answer.error().why,
              HasSubstr("the server's certificate is not accepted; it must be for \"127.0.0.1\""));
  EXPECT_EQ(server_->Requests().size(), 0u);
}

TEST_F(Transport, RefusesACertificateForAnotherName) {
  Serve();
  credentials_.tls.server_name = "kubernetes.example.com";
  Connect();
  const HttpAnswer answer = Get();
  EXPECT_EQ(FaultOf(answer), HttpFault::kConnect);
  EXPECT_THAT(answer.error().why, HasSubstr("\"kubernetes.example.com\""));
}

TEST_F(Transport, WithoutAnAuthorityOfItsOwnTheSystemsCount) {
  Serve();
  credentials_.tls.ca = {};
  Connect();
  EXPECT_EQ(FaultOf(Get()), HttpFault::kConnect);
}

TEST_F(Transport, SkipsTheCheckOnlyWhenToldTo) {
  Serve();
  credentials_.tls.ca = {};
  credentials_.tls.skip_verify = true;
  Connect();
  const HttpAnswer answer = Get();
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 200);
}

TEST_F(Transport, PresentsItsClientCertificate) {
  Serve({.require_client_certificate = true});
  EXPECT_FALSE(Get());
  credentials_.tls.certificate.file = server_->client_certificate_file();
  credentials_.tls.key.file = server_->client_key_file();
  Connect();
  const HttpAnswer answer = Get();
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 200);
}

TEST_F(Transport, SaysWhichCertificateCannotBeUsed) {
  const TempFolder folder;
  credentials_.server = *ParseServerAddress("https://127.0.0.1:1");
  credentials_.tls.ca.file = folder.Write("ca.crt", "no certificate");
  auto http = MakeHttpClient(credentials_);
  ASSERT_FALSE(http);
  EXPECT_EQ(http.error().kind, ErrorKind::kFatal);
  EXPECT_THAT(http.error().message, HasSubstr("ca.crt"));
  credentials_.tls.ca = {};
  credentials_.tls.certificate.text = "x";
  credentials_.tls.key.text = "x";
  EXPECT_THAT(MakeHttpClient(credentials_).error().message,
              HasSubstr("the client certificate cannot be used (given in the kubeconfig)"));
}

TEST_F(Transport, KeepsItsConnection) {
  Serve();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Get());
  std::set<std::string> connections;
  for (const auto& request : server_->Requests()) connections.insert(request.connection);
  // Not 1: a connection is back in the library's pool a moment after its answer is complete.
  EXPECT_LE(connections.size(), 3u);
}

TEST_F(Transport, ARefusedConnectionIsNoAnswer) {
  Serve();
  server_->Stop();
  const HttpAnswer answer = Get();
  EXPECT_EQ(FaultOf(answer), HttpFault::kConnect);
  EXPECT_THAT(answer.error().why, HasSubstr("cannot connect to 127.0.0.1:"));
}

TEST_F(Transport, WorksAgainWhenTheServerIsBack) {
  Serve();
  ASSERT_TRUE(Get());
  server_->Stop();
  EXPECT_FALSE(Get());
  ASSERT_TRUE(server_->Start());
  const HttpAnswer answer = Get();
  ASSERT_TRUE(answer) << answer.error().why;
}

TEST_F(Transport, ACutBeforeTheAnswerIsBroken) {
  Serve();
  Fault(FaultKind::kCut, -1);
  EXPECT_EQ(FaultOf(Get()), HttpFault::kBroken);
}

TEST_F(Transport, ATruncatedBodyIsNoAnswer) {
  Serve();
  Fault(FaultKind::kTruncate);
  EXPECT_EQ(FaultOf(Get()), HttpFault::kTruncated);
}

TEST_F(Transport, NoAnswerAtAllEndsInTime) {
  Serve();
  Fault(FaultKind::kHang);
  EXPECT_EQ(FaultOf(Get(kShort)), HttpFault::kTimeout);
  EXPECT_TRUE(Get());
}

// Each byte in time, the whole not: the library's own timeout is per byte.
TEST_F(Transport, ADrippingBodyEndsInTime) {
  Serve();
  server_->AddFault({.kind = FaultKind::kDrip, .interval = milliseconds{100}});
  EXPECT_EQ(FaultOf(Get(kShort)), HttpFault::kTimeout);
}

TEST_F(Transport, HandsOverRetryAfter) {
  Serve();
  server_->AddFault({.kind = FaultKind::kTooManyRequests, .retry_after = seconds{7}});
  const HttpAnswer answer = Get();
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->retry_after, seconds{7});
}

TEST_F(Transport, StopEndsARequestThatWaits) {
  Serve();
  Fault(FaultKind::kHang);
  auto answer = std::async(std::launch::async, [this] { return Get(); });
  ASSERT_TRUE(server_->WaitForCount("get", "nodes", 1, kLong));
  http_->Stop();
  EXPECT_EQ(FaultOf(answer.get()), HttpFault::kStopped);
  EXPECT_EQ(FaultOf(Get()), HttpFault::kStopped);
}

class WatchTransport : public Transport {
 protected:
  WatchTransport() { Serve({.bookmark_interval = seconds{3600}}); }

  HttpAnswer Watch(const HttpClient::OnData& on_data, milliseconds quiet = milliseconds{0}) {
    return http_->Stream(
        {.method = "GET",
         .target = "/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&"
                   "resourceVersion=" +
                   std::to_string(server_->resource_version()),
         .token = "sim-token",
         .timeout = kLong,
         .quiet_timeout = quiet},
        [this] {
          ++opened_;
          open_.set_value();
        },
        on_data);
  }
  void PutPod() {
    server_->PutPod(R"({"metadata": {"name": "a"}, "spec": {"nodeName": "node-1"}})");
  }
  std::atomic<int> opened_ = 0;
  std::promise<void> open_;
};

TEST_F(WatchTransport, HandsOverDataAsItComes) {
  std::string data;
  auto watch = std::async(std::launch::async, [&] {
    return Watch([&](std::string_view piece) {
      data += piece;
      return data.find('\n') == std::string::npos;
    });
  });
  ASSERT_TRUE(server_->WaitForWatches(1, kLong));
  PutPod();
  EXPECT_EQ(FaultOf(watch.get()), HttpFault::kEnded);
  EXPECT_THAT(data, HasSubstr("\"ADDED\""));
  EXPECT_EQ(opened_, 1);
}

TEST_F(WatchTransport, APeacefulEndIsAnAnswer) {
  Fault(FaultKind::kWatchClosed);
  const HttpAnswer answer = Watch([](std::string_view) { return true; });
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 200);
}

TEST_F(WatchTransport, ACutIsNot) {
  auto watch =
      std::async(std::launch::async, [&] { return Watch([](std::string_view) { return true; }); });
  open_.get_future().wait();
  server_->BreakWatches(FaultKind::kCut);
  EXPECT_EQ(FaultOf(watch.get()), HttpFault::kTruncated);
}

TEST_F(WatchTransport, SilenceHasItsLimit) {
  EXPECT_EQ(FaultOf(Watch([](std::string_view) { return true; }, kShort)), HttpFault::kQuiet);
}

TEST_F(WatchTransport, StopEndsIt) {
  auto watch =
      std::async(std::launch::async, [&] { return Watch([](std::string_view) { return true; }); });
  ASSERT_TRUE(server_->WaitForWatches(1, kLong));
  http_->Stop();
  EXPECT_EQ(FaultOf(watch.get()), HttpFault::kStopped);
}

TEST_F(WatchTransport, ARefusalIsAnAnswerAndNoStream) {
  Fault(FaultKind::kGone);
  const HttpAnswer answer = Watch([](std::string_view) { return true; });
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->status, 410);
  EXPECT_THAT(answer->body, HasSubstr("Status"));
  EXPECT_EQ(opened_, 0);
}

}  // namespace
}  // namespace dra_health

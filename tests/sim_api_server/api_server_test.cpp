#include "sim/api_server/api_server.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/sim_api_server/api_server_fixture.h"

namespace dra_health::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

class ApiServerTest : public ApiServerFixture {
 protected:
  std::filesystem::path Temporary(const std::string& name) const {
    return std::filesystem::path(testing::TempDir()) / (name + "-" + std::to_string(::getpid()));
  }

  std::string ReadFile(const std::filesystem::path& path) const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

TEST_F(ApiServerTest, AnswersOverPlainHttp) {
  ApiServerOptions options;
  options.tls = false;
  Start(options);
  EXPECT_THAT(server_->url(), HasSubstr("http://127.0.0.1:"));
  EXPECT_TRUE(server_->ca_file().empty());
  EXPECT_EQ(TestClient(*server_).Get("/readyz").body, "ok");
}

TEST_F(ApiServerTest, CertificateHoldsForTheIpv4Address) {
  Start();
  EXPECT_EQ(TestClient(*server_).Get(kPodPath).status, 200);
}

TEST_F(ApiServerTest, CertificateHoldsForTheIpv6Address) {
  ApiServerOptions options;
  options.address = "::1";
  Start(options);
  EXPECT_THAT(server_->url(), HasSubstr("https://[::1]:"));
  EXPECT_THAT(ReadyzByOpenSsl(*server_, "::1"), HasSubstr("HTTP/1.1 200 OK"));
}

TEST_F(ApiServerTest, CertificateOfAnotherServerIsNotTrusted) {
  Start();
  ApiServer other;
  ASSERT_TRUE(other.Start());
  std::filesystem::copy_file(other.ca_file(), server_->ca_file(),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(TestClient(*server_).Get("/readyz").status, 0);
}

TEST_F(ApiServerTest, ClientCertificateIsAskedForWhereRequired) {
  ApiServerOptions options;
  options.require_client_certificate = true;
  options.tokens = {};
  Start(options);
  EXPECT_EQ(TestClient(*server_, "", false).Get(kPodPath).status, 0);
  EXPECT_EQ(TestClient(*server_, "", true).Get(kPodPath).status, 200);
}

TEST_F(ApiServerTest, TokensChangeAtRunTime) {
  Start();
  TestClient client(*server_);
  EXPECT_EQ(client.Get(kPodPath).status, 200);
  server_->SetTokens({"next"});
  EXPECT_EQ(client.Get(kPodPath).status, 401);
  EXPECT_EQ(TestClient(*server_, "next").Get(kPodPath).status, 200);
}

TEST_F(ApiServerTest, PatchReachesThePod) {
  Start();
  const HttpAnswer answer =
      TestClient(*server_).Patch("pod-1", SamplePatch(SampleList("Unhealthy")));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(ListOf(Json::parse(server_->GetPod("default", "pod-1"))), SampleList("Unhealthy"));
}

TEST_F(ApiServerTest, GatesAndGuardChangeAtRunTime) {
  Start();
  TestClient client(*server_);
  server_->SetResourceHealthStatus(false);
  EXPECT_EQ(client.Patch("pod-1", SamplePatch(SampleList())).status, 200);
  EXPECT_TRUE(ListOf(Json::parse(server_->GetPod("default", "pod-1"))).is_null());
  server_->SetResourceHealthStatus(true);
  server_->SetResourceHealthStatusMessage(false);
  client.Patch("pod-1", SamplePatch(SampleList("Unknown", "text")));
  EXPECT_EQ(ListOf(Json::parse(server_->GetPod("default", "pod-1"))), SampleList("Unknown"));
  server_->SetGuard(true);
  client.Patch("pod-1", R"([{"op": "add", "path": "/status/conditions/-", "value":
      {"type": "dra-health-agent/DevicesHealthy", "status": "Unknown"}}])");
  EXPECT_TRUE(server_->RevertField("default", "pod-1"));
  EXPECT_EQ(ListOf(Json::parse(server_->GetPod("default", "pod-1"))), SampleList("Unknown"));
}

TEST_F(ApiServerTest, SimulatedKubeletRevertsOverwritesAndEnds) {
  Start();
  TestClient client(*server_);
  client.Patch("pod-1", SamplePatch(SampleList()));
  EXPECT_TRUE(server_->OverwriteField("default", "pod-1", "main", SampleList("Unknown").dump()));
  EXPECT_EQ(ListOf(Json::parse(server_->GetPod("default", "pod-1"))), SampleList("Unknown"));
  EXPECT_TRUE(server_->RevertField("default", "pod-1"));
  EXPECT_TRUE(ListOf(Json::parse(server_->GetPod("default", "pod-1"))).is_null());
  EXPECT_TRUE(server_->EndPod("default", "pod-1", 137));
  EXPECT_THAT(server_->GetPod("default", "pod-1"), HasSubstr(R"("phase":"Failed")"));
  EXPECT_FALSE(server_->RevertField("default", "none"));
}

TEST_F(ApiServerTest, LogSaysWhatWasAskedAndAnswered) {
  Start();
  TestClient client(*server_, "sim-token");
  client.Get("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1");
  client.Patch("pod-1", SamplePatch(SampleList("Sick")));
  const auto requests = server_->Requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].verb, "list");
  EXPECT_EQ(requests[0].resource, "pods");
  EXPECT_EQ(requests[0].path, "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1");
  EXPECT_EQ(requests[0].token, "sim-token");
  EXPECT_EQ(requests[1].method, "PATCH");
  EXPECT_EQ(requests[1].resource, "pods/status");
  EXPECT_EQ(requests[1].content_type, "application/json-patch+json");
  EXPECT_EQ(requests[1].body, SamplePatch(SampleList("Sick")));
  EXPECT_EQ(requests[1].status, 422);
  EXPECT_LE(requests[0].at, requests[1].at);
  EXPECT_THAT(requests[0].connection, testing::StartsWith("127."));
  EXPECT_EQ(server_->Count("patch"), 1u);
  EXPECT_EQ(server_->Count("patch", "nodes"), 0u);
  server_->ClearRequests();
  EXPECT_TRUE(server_->Requests().empty());
}

TEST_F(ApiServerTest, WaitsForRequestsAndPodsAndGivesUp) {
  Start();
  std::thread client([this] { TestClient(*server_).Patch("pod-1", SamplePatch(SampleList())); });
  EXPECT_TRUE(server_->WaitForPod(
      "default", "pod-1",
      [](const std::string& pod) { return pod.find("claim:gpu/req") != std::string::npos; },
      kPatience));
  EXPECT_TRUE(server_->WaitForCount("patch", "pods/status", 1, kPatience));
  EXPECT_TRUE(server_->WaitForRequests(
      [](const std::vector<LoggedRequest>& all) { return all.back().status == 200; }, kPatience));
  EXPECT_FALSE(server_->WaitForCount("patch", "pods/status", 2, std::chrono::milliseconds(1)));
  client.join();
}

TEST_F(ApiServerTest, AbsentServerRefusesAndComesBackOnItsPortWithItsObjects) {
  Start();
  TestClient client(*server_);
  EXPECT_EQ(client.Get(kPodPath).status, 200);
  const std::uint16_t port = server_->port();
  server_->Stop();
  server_->Stop();
  EXPECT_EQ(client.Get(kPodPath).status, 0);
  ASSERT_TRUE(server_->Start());
  EXPECT_EQ(server_->port(), port);
  EXPECT_EQ(TestClient(*server_).Get(kPodPath).status, 200);
}

TEST_F(ApiServerTest, TakenPortIsAnError) {
  Start();
  ApiServerOptions options;
  options.port = server_->port();
  ApiServer second(options);
  const auto started = second.Start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("Address already in use"));
}

TEST_F(ApiServerTest, SeveralServersLiveAndDieIndependently) {
  Start();
  {
    ApiServer other;
    ASSERT_TRUE(other.Start());
    EXPECT_EQ(TestClient(other).Get(kPodPath).status, 404);
  }
  EXPECT_EQ(TestClient(*server_).Get(kPodPath).status, 200);
}

TEST_F(ApiServerTest, ServersStopAtOnceFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      ApiServer server;
      ASSERT_TRUE(server.Start());
      EXPECT_EQ(TestClient(server).Get("/readyz").status, 200);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ApiServerTest, KubeconfigNamesFilesOrCarriesThem) {
  Start();
  const auto path = Temporary("kubeconfig");
  ASSERT_TRUE(server_->WriteKubeconfig(path));
  EXPECT_THAT(ReadFile(path), HasSubstr("server: \"" + server_->url() + "\""));
  EXPECT_THAT(ReadFile(path), HasSubstr("certificate-authority: \"" + server_->ca_file().string()));
  EXPECT_THAT(ReadFile(path), HasSubstr("token: \"sim-token\""));
  EXPECT_THAT(ReadFile(path), Not(HasSubstr("client-certificate")));
  ASSERT_TRUE(server_->WriteKubeconfig(path, KubeconfigForm::kInline));
  // "-----BEGIN" in base64.
  EXPECT_THAT(ReadFile(path), HasSubstr("certificate-authority-data: LS0tLS1CRUdJTi"));
  std::filesystem::remove(path);
  EXPECT_FALSE(server_->WriteKubeconfig("/nowhere/kubeconfig"));
}

TEST_F(ApiServerTest, ServiceAccountFolderIsSwappedWhole) {
  Start();
  const auto folder = Temporary("serviceaccount");
  ASSERT_TRUE(server_->WriteServiceAccount(folder));
  EXPECT_EQ(ReadFile(folder / "token"), "sim-token");
  EXPECT_EQ(ReadFile(folder / "ca.crt"), ReadFile(server_->ca_file()));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "..data"));
  server_->SetTokens({"next"});
  ASSERT_TRUE(server_->WriteServiceAccount(folder));
  EXPECT_EQ(ReadFile(folder / "token"), "next");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dra_health::sim

// The agent as Prometheus and probes see it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "node.h"
#include "patcher/http/cpprest_client.h"
#include "tests/observe/http/raw_client.h"

namespace dra_health {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LookedAtTest : public testing::Test {
 protected:
  void SetUp() override {
    node.options().observe.address = {"127.0.0.1", port};
    node.options().observe.required = true;
    node.driver.Report({Device("gpu-0", Health::kHealthy), Device("gpu-1", Health::kHealthy)});
    ASSERT_TRUE(node.driver.Start());
    node.AddPod("train", {"gpu-0"});
  }

  HttpAnswer Get(const std::string& target) {
    Credentials credentials;
    credentials.server = {false, "127.0.0.1", port, ""};
    auto client = MakeHttpClient(credentials);
    EXPECT_TRUE(client);
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    return (*client)->Send(request);
  }
  // Asks until the answer is the wanted one; returns the last.
  HttpAnswer GetUntil(const std::string& target,
                      const std::function<bool(const HttpResponse&)>& wanted) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      HttpAnswer answer = Get(target);
      if ((answer && wanted(*answer)) || std::chrono::steady_clock::now() > end) return answer;
    }
  }

  const std::uint16_t port = FreePort();
  Node node;
};

TEST_F(LookedAtTest, TheMetricsTellWhatHappened) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  node.driver.Report({Device("gpu-0", Health::kUnhealthy, "Xid 79")});
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Unhealthy", "False"));
  const std::string prefix = "\ndra_health_agent_";
  const auto all =
      AllOf(HasSubstr(prefix + "patches_total{outcome=\"applied\"} 2\n"),
            HasSubstr(prefix + "devices{driver=\"gpu.example.com\",health=\"Unhealthy\"} 1\n"),
            HasSubstr(prefix + "devices{driver=\"gpu.example.com\",health=\"Healthy\"} 1\n"),
            HasSubstr(prefix + "pods{ownership=\"own\"} 1\n"),
            HasSubstr(prefix + "publish_latency_seconds_count 1\n"),
            HasSubstr(prefix + "device_transitions_total{driver=\"gpu.example.com\","
                               "health=\"Unhealthy\",reason=\"\"} 1\n"),
            HasSubstr(prefix + "driver_lease_margin_seconds{driver=\"gpu.example.com\"} "),
            HasSubstr(prefix + "store_writable 1\n"));
  // The pod shows it before the agent has read the answer to its patch.
  const HttpAnswer answer = GetUntil("/metrics", [&](const HttpResponse& response) {
    return testing::Matches(all)(response.body);
  });
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_THAT(answer->body, all);
  EXPECT_THAT(answer->body, testing::Not(HasSubstr(prefix + "store_size_bytes 0\n")));
}

TEST_F(LookedAtTest, ItIsReadyWhileItSeesDriversAndPods) {
  node.StartAgent();
  const auto ready = [](const HttpResponse& response) { return response.status == 200; };
  HttpAnswer answer = GetUntil("/readyz?verbose", ready);
  ASSERT_TRUE(answer) << answer.error().why;
  EXPECT_EQ(answer->body,
            "[+]loop ok\n[+]api-server ok\n[+]registration-folder ok\n[+]store ok\n"
            "readyz check passed\n");
  node.api.Stop();
  answer = GetUntil("/readyz", [&](const HttpResponse& response) { return !ready(response); });
  EXPECT_THAT(answer->body, HasSubstr("[-]api-server failed: "));
  EXPECT_EQ(Get("/healthz")->status, 200) << "a restart would not help";
  ASSERT_TRUE(node.api.Start());
  answer = GetUntil("/readyz", ready);
  EXPECT_EQ(answer->body, "ok");
  EXPECT_TRUE(node.StopAgent());
}

TEST_F(LookedAtTest, WithoutTheAddressThatWasAskedForItDoesNotStart) {
  const UniqueFd other = TakePort(port);
  node.StartAgent();
  EXPECT_FALSE(node.StopAgent());
  EXPECT_FALSE(std::filesystem::exists(node.options().store)) << "nothing has been touched";
}

}  // namespace
}  // namespace dra_health

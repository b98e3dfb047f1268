// The whole agent between a driver and an API server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class AgentTest : public testing::Test {
 protected:
  void SetUp() override {
    node.driver.Report({Device("gpu-0", Health::kHealthy), Device("gpu-1", Health::kHealthy)});
    ASSERT_TRUE(node.driver.Start());
    node.AddPod("train", {"gpu-0", "gpu-1"});
  }

  Node node;
};

TEST_F(AgentTest, FromTheDriversReportToThePodsStatus) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  node.driver.Report({Device("gpu-0", Health::kUnhealthy, "Xid 79")});
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Unhealthy", "False"));
  EXPECT_THAT(Node::Read(node.api.GetPod("default", "train"), "gpu-0").message,
              HasSubstr("Xid 79"));
  node.driver.Report({Device("gpu-0", Health::kHealthy)});
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  EXPECT_EQ(node.api.Count("patch"), 3U);
  EXPECT_EQ(node.api.Count("get", "pods"), 0U) << "no GET before a PATCH";
  EXPECT_EQ(node.driver.counts().notify_calls, 0U) << "that call is the kubelet's";
  EXPECT_TRUE(node.StopAgent());
  EXPECT_THAT(node.Transitions(), SizeIs(4));
}

TEST_F(AgentTest, ARestartChangesNothingAndSendsNothing) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-1", "Healthy", "True"));
  node.driver.Report({Device("gpu-1", Health::kUnhealthy, "Xid 48")});
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-1", "Unhealthy", "False"));
  ASSERT_TRUE(node.StopAgent());
  const std::string before = node.api.GetPod("default", "train");
  const std::size_t patches = node.api.Count("patch");
  const std::size_t streams = node.driver.counts().streams_opened;
  node.StartAgent();
  ASSERT_TRUE(node.WaitForStream(streams));
  // A change of another pod's device shows when the agent is past everything that came before it.
  node.AddPod("other", {"gpu-2"});
  node.driver.Report({Device("gpu-2", Health::kHealthy)});
  ASSERT_TRUE(node.WaitUntilShown("other", "gpu-2", "Healthy", "True"));
  EXPECT_EQ(node.api.GetPod("default", "train"), before);
  EXPECT_EQ(node.api.Count("patch"), patches + 1);
  ASSERT_TRUE(node.StopAgent());
  EXPECT_THAT(node.Transitions(), SizeIs(4));
}

TEST_F(AgentTest, TheEndOfAContainerIsKeptBesideItsDevices) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  node.EndContainer("train", 137);
  const auto history = node.WaitForEnd("train");
  ASSERT_TRUE(history);
  ASSERT_THAT(history->containers, SizeIs(1));
  EXPECT_EQ(history->containers[0].container, "main");
  EXPECT_EQ(history->containers[0].run.exit_code, 137);
  EXPECT_EQ(*history->containers[0].run.ended - *history->containers[0].run.started, 9s);
  EXPECT_THAT(history->allocations, testing::Not(testing::IsEmpty()));
}

TEST_F(AgentTest, ExpiryAndReturnArePublished) {
  node.driver.Report({Device("gpu-0", Health::kHealthy, "", 1s)});
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Unknown", "Unknown"));
  node.driver.Report({Device("gpu-0", Health::kHealthy, "", 60s)});
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
}

TEST_F(AgentTest, ADriverRestartWithinItsLeaseIsNotSeenOnThePod) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  const std::size_t streams = node.driver.counts().streams_opened;
  node.driver.Kill();
  ASSERT_TRUE(node.driver.Start());
  ASSERT_TRUE(node.WaitForStream(streams));
  node.driver.Report({Device("gpu-0", Health::kUnhealthy)});
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Unhealthy", "False"));
  EXPECT_EQ(node.api.Count("patch"), 2U);
}

TEST_F(AgentTest, TheNewestStateIsPublishedWhenTheApiServerIsBack) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  node.api.Stop();
  for (int i = 0; i < 20; ++i) {
    node.driver.Report({Device("gpu-0", Health::kUnhealthy, "fault " + std::to_string(i))});
    node.driver.Report({Device("gpu-0", Health::kHealthy)});
  }
  node.driver.Report({Device("gpu-0", Health::kUnhealthy, "the last")});
  ASSERT_TRUE(node.WaitForTransitions(2 + 2 * 20 + 1)) << "all of it was heard";
  const std::size_t patches = node.api.Count("patch");
  ASSERT_TRUE(node.api.Start());
  // A patch that was under way may bring an older message first; the newest follows.
  ASSERT_TRUE(node.api.WaitForPod(
      "default", "train",
      [](const std::string& json) {
        return Node::Read(json, "gpu-0").message.starts_with("the last");
      },
      kPatience));
  EXPECT_LE(node.api.Count("patch"), patches + 2) << "no burst";
}

TEST_F(AgentTest, InvalidUtf8FromADriverLosesNothing) {
  node.driver.Report({Device("gpu-0", Health::kUnhealthy, "bad \xff\xfe text\n\x1b[31m")});
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Unhealthy", "False"));
  EXPECT_THAT(Node::Read(node.api.GetPod("default", "train"), "gpu-0").message,
              testing::StartsWith("bad \xEF\xBF\xBD\xEF\xBF\xBD text  [31m (since "));
}

TEST_F(AgentTest, ADryRunSendsNothing) {
  node.options().settings.dry_run = true;
  testing::internal::CaptureStdout();
  node.StartAgent();
  ASSERT_TRUE(node.WaitForField(FieldState::kOwn)) << "as far as the agent knows";
  ASSERT_TRUE(node.StopAgent());
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_EQ(node.api.Count("patch"), 0U);
  EXPECT_THAT(printed, HasSubstr("PATCH pods/status default/train"));
  EXPECT_THAT(printed, HasSubstr("\"gpu.example.com/node-1/gpu-0\""));
}

TEST_F(AgentTest, ItStopsInOrderWhileTheApiServerHangsAndTheDriverIsSilent) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  node.driver.Silence();
  sim::Fault hang;
  hang.kind = sim::FaultKind::kHang;
  hang.verb = "patch";
  hang.times = -1;
  node.api.AddFault(hang);
  node.driver.Resume();
  node.driver.Report({Device("gpu-0", Health::kUnhealthy)});
  ASSERT_TRUE(node.api.WaitForCount("patch", "pods/status", 2, kPatience));
  EXPECT_TRUE(node.StopAgent());
}

TEST_F(AgentTest, ASecondAgentOnOneStoreDoesNotStart) {
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "Healthy", "True"));
  AgentThread second(node.options());
  second.Stop();
  EXPECT_FALSE(second.ended_well());
}

// KEP-4680: a server with the gate off drops the field and answers 200.
TEST(AgentAndGatesTest, AServerThatDropsTheFieldGetsTheConditionAlone) {
  sim::ApiServerOptions options;
  options.resource_health_status = false;
  Node node(options);
  node.driver.Report({Device("gpu-0", Health::kUnhealthy)});
  ASSERT_TRUE(node.driver.Start());
  node.AddPod("train", {"gpu-0"});
  node.StartAgent();
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "", "False"));
  node.driver.Report({Device("gpu-0", Health::kHealthy)});
  ASSERT_TRUE(node.WaitUntilShown("train", "gpu-0", "", "True"));
  EXPECT_EQ(node.api.Count("patch"), 2U);
}

}  // namespace
}  // namespace dra_health

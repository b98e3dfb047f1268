#include "sim/driver/player.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include "dra/v1.grpc.pb.h"
#include "dra_health/v1.grpc.pb.h"
#include "tests/support/temp_folder.h"

namespace dra_health::sim {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr seconds kLimit{20};

class PlayerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Player> MakePlayer(const std::string& text) {
    auto scenario = ParseScenario(text, "test");
    EXPECT_TRUE(scenario) << scenario.error().message;
    return std::make_unique<Player>(
        scenario.value_or(Scenario{}),
        PlayerOptions{.registration_dir = folder_ / "reg",
                      .plugins_dir = folder_ / "plugins",
                      .on_step = [this](const Step& step, const Result<void>& done) {
                        const std::lock_guard lock(mutex_);
                        steps_.push_back(step);
                        if (steps_.size() == 1 && after_first_step_) after_first_step_();
                        failed_ |= !done;
                      }});
  }

  static std::shared_ptr<grpc::Channel> Connect(const Driver& driver) {
    return grpc::CreateChannel("unix:" + driver.endpoint().native(),
                               grpc::InsecureChannelCredentials());
  }

  const TempFolder folder_;
  std::mutex mutex_;
  std::function<void()> after_first_step_;
  std::vector<Step> steps_;  // guarded by mutex_
  bool failed_ = false;      // guarded by mutex_
};

// What one blocking watcher of a driver hears.
class Watcher {
 public:
  explicit Watcher(const Driver& driver)
      : stub_(grpc::CreateChannel("unix:" + driver.endpoint().native(),
                                  grpc::InsecureChannelCredentials())) {
    context_.set_deadline(std::chrono::system_clock::now() + kLimit);
    reader_ = stub_.NodeWatchResources(&context_, {});
  }

  // The next report, or an empty one at the end of the stream.
  v1::NodeWatchResourcesResponse Next() {
    v1::NodeWatchResourcesResponse report;
    if (!reader_->Read(&report)) report.Clear();
    return report;
  }
  grpc::Status Finish() { return reader_->Finish(); }

 private:
  v1::DRAResourceHealth::Stub stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::NodeWatchResourcesResponse>> reader_;
};

// The watcher comes in the first step: the player's clock cannot overtake it.
TEST_F(PlayerTest, WatcherHearsWhatIsKnownThenTheSteps) {
  const auto player = MakePlayer(R"(
drivers:
  gpu: {lease: 9s, devices: {p/a: healthy, p/b: healthy}}
steps:
  - {at: 0s, heartbeat: off}
  - {at: 1ms, report: {p/b: {health: unhealthy, message: hot}}}
  - {at: 2ms, end: ABORTED}
)");
  std::unique_ptr<Watcher> watcher;
  v1::NodeWatchResourcesResponse first;
  after_first_step_ = [&] {
    watcher = std::make_unique<Watcher>(player->driver("gpu"));
    first = watcher->Next();
  };
  ASSERT_TRUE(player->Start());
  ASSERT_TRUE(player->WaitUntilPlayed(kLimit));
  ASSERT_EQ(first.devices_size(), 2);
  EXPECT_EQ(first.devices(0).health_check_timeout_seconds(), 9);
  EXPECT_GT(first.devices(0).last_updated_time(), 0);
  const auto second = watcher->Next();
  ASSERT_EQ(second.devices_size(), 1);
  EXPECT_EQ(second.devices(0).device().device_name(), "b");
  EXPECT_EQ(second.devices(0).message(), "hot");
  EXPECT_EQ(watcher->Next().devices_size(), 0);
  EXPECT_EQ(watcher->Finish().error_code(), grpc::StatusCode::ABORTED);
}

TEST_F(PlayerTest, HeartbeatRepeatsEverything) {
  const auto player = MakePlayer("drivers: {gpu: {heartbeat: 10ms, devices: {p/a: healthy}}}");
  ASSERT_TRUE(player->Start());
  Watcher watcher(player->driver("gpu"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(watcher.Next().devices_size(), 1);
}

TEST_F(PlayerTest, SilenceHoldsReportsBackUntilResume) {
  const auto player = MakePlayer("drivers: {gpu: {devices: {p/a: healthy}}}");
  ASSERT_TRUE(player->Start());
  Driver& driver = player->driver("gpu");
  Watcher watcher(driver);
  EXPECT_EQ(watcher.Next().devices_size(), 1);
  driver.Silence();
  driver.Report({{.pool = "p", .device = "b"}});
  driver.Report({{.pool = "p", .device = "c"}});
  driver.Resend();
  driver.Resume();
  EXPECT_EQ(watcher.Next().devices_size(), 3) << "the first that is heard is what is known then";
}

TEST_F(PlayerTest, StepsRunInOrderAndTheEndIsTold) {
  const auto player = MakePlayer(R"(
drivers: {a: , b: }
steps:
  - {at: 0s, driver: a, do: stop}
  - {at: 10ms, driver: b, do: kill}
  - {at: 20ms, driver: a, do: start}
)");
  ASSERT_TRUE(player->Start());
  ASSERT_TRUE(player->WaitUntilPlayed(kLimit));
  EXPECT_TRUE(player->driver("a").running());
  EXPECT_FALSE(player->driver("b").running());
  EXPECT_TRUE(fs::is_socket(player->driver("b").registration_socket())) << "left behind";
  player->Stop();
  EXPECT_FALSE(fs::exists(player->driver("a").registration_socket()));
  const std::lock_guard lock(mutex_);
  ASSERT_EQ(steps_.size(), 3u);
  EXPECT_EQ(steps_[1].driver, "b");
  EXPECT_FALSE(failed_);
}

TEST_F(PlayerTest, StopDoesNotWaitForStepsToCome) {
  const auto player = MakePlayer("drivers: {gpu: }\nsteps: [{at: 1h, do: stop}]");
  ASSERT_TRUE(player->Start());
  player->Stop();
  EXPECT_FALSE(player->WaitUntilPlayed(std::chrono::milliseconds{0}));
}

TEST_F(PlayerTest, DriverThatCannotListenIsAnError) {
  std::ofstream(folder_ / "reg") << "a file where the folder should be";
  const auto player = MakePlayer("drivers: {gpu: }");
  const auto started = player->Start();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("driver gpu"), std::string::npos);
}

TEST_F(PlayerTest, ClaimsAreAlwaysPrepared) {
  const auto player = MakePlayer("drivers: {gpu: }");
  ASSERT_TRUE(player->Start());
  namespace dra = k8s::io::kubelet::pkg::apis::dra::v1;
  dra::DRAPlugin::Stub stub(Connect(player->driver("gpu")));
  dra::NodePrepareResourcesRequest request;
  request.add_claims()->set_uid("uid-1");
  request.add_claims()->set_uid("uid-2");
  dra::NodePrepareResourcesResponse response;
  grpc::ClientContext context;
  ASSERT_TRUE(stub.NodePrepareResources(&context, request, &response).ok());
  EXPECT_EQ(response.claims_size(), 2);
  EXPECT_EQ(response.claims().at("uid-2").error(), "");
  EXPECT_EQ(player->driver("gpu").counts().prepare_calls, 1u);
}

}  // namespace
}  // namespace dra_health::sim

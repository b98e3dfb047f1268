#include "discovery/discovery.h"

#include <poll.h>

#include <memory>

#include <gmock/gmock.h>

#include "discovery_fixture.h"
#include "plain_socket.h"
#include "tests/support/log_capture.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::ElementsAre;

using DiscoveryTest = DiscoveryFixture;

TEST_F(DiscoveryTest, DriverThatIsThereIsRegisteredWithWhatItAdvertises) {
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  ASSERT_TRUE(StartLoop().RunUntilThereAre<event::PluginRegistered>(1));
  const auto plugin = loop_->All<event::PluginRegistered>()[0];
  EXPECT_EQ(plugin.driver, "gpu.example.com");
  EXPECT_EQ(plugin.endpoint, driver.endpoint());
  EXPECT_EQ(plugin.registration_socket, driver.registration_socket());
  EXPECT_THAT(plugin.services, ElementsAre("v1.DRAPlugin", sim::kHealthV1, sim::kHealthV1Alpha1));
}

TEST_F(DiscoveryTest, DriverThatComesLaterIsFoundBeforeTheRescan) {
  auto options = Options();
  options.rescan_interval = std::chrono::hours{1};
  StartLoop(options);
  loop_->discovery().Poll();
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  EXPECT_TRUE(loop_->RunUntilThereAre<event::PluginRegistered>(1));
}

TEST_F(DiscoveryTest, DriverIsAskedOnceAndNeverNotified) {
  auto options = Options();
  options.rescan_interval = seconds{0};  // every turn of the loop looks again
  sim::Driver driver(DriverOptions());
  auto other_options = DriverOptions("disk.example.com");
  other_options.type = "CSIPlugin";
  sim::Driver other(other_options);
  ASSERT_TRUE(driver.Start());
  ASSERT_TRUE(other.Start());
  StartLoop(options);
  ASSERT_TRUE(loop_->RunUntil([&] { return Registered() == 1 && other.counts().info_calls == 1; }));
  int turns = 0;
  loop_->RunUntil([&] { return ++turns == 100; });
  for (const sim::Driver* each : {&driver, &other}) {
    EXPECT_EQ(each->counts().info_calls, 1u);
    EXPECT_EQ(each->counts().notify_calls, 0u);
    EXPECT_EQ(each->counts().prepare_calls, 0u);
  }
  EXPECT_EQ(Registered(), 1u);
}

TEST_F(DiscoveryTest, RestartedDriverIsDeregisteredAndRegisteredWithALargerId) {
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  ASSERT_TRUE(StartLoop().RunUntilThereAre<event::PluginRegistered>(1));
  driver.Stop();
  ASSERT_TRUE(loop_->RunUntilThereAre<event::PluginDeregistered>(1));
  ASSERT_TRUE(driver.Start());
  ASSERT_TRUE(loop_->RunUntilThereAre<event::PluginRegistered>(2));
  const auto plugins = loop_->All<event::PluginRegistered>();
  EXPECT_EQ(loop_->All<event::PluginDeregistered>()[0].id, plugins[0].id);
  EXPECT_GT(plugins[1].id, plugins[0].id);
}

TEST_F(DiscoveryTest, KilledDriverStaysRegisteredUntilItStartsAgain) {
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  ASSERT_TRUE(StartLoop().RunUntilThereAre<event::PluginRegistered>(1));
  driver.Kill();
  ASSERT_TRUE(fs::is_socket(driver.registration_socket()));
  int turns = 0;
  loop_->RunUntil([&] { return ++turns == 10; });
  EXPECT_TRUE(loop_->All<event::PluginDeregistered>().empty());
  ASSERT_TRUE(driver.Start());
  EXPECT_TRUE(loop_->RunUntilThereAre<event::PluginRegistered>(2));
  EXPECT_EQ(loop_->All<event::PluginDeregistered>().size(), 1u);
}

TEST_F(DiscoveryTest, TwoInstancesOfADriverAreTwoPlugins) {
  sim::Driver before(DriverOptions());
  auto options = DriverOptions();
  options.instance = "pod-2";
  sim::Driver after(options);
  ASSERT_TRUE(before.Start());
  ASSERT_TRUE(StartLoop().RunUntilThereAre<event::PluginRegistered>(1));
  ASSERT_TRUE(after.Start());
  ASSERT_TRUE(loop_->RunUntilThereAre<event::PluginRegistered>(2));
  const auto plugins = loop_->All<event::PluginRegistered>();
  EXPECT_EQ(plugins[0].driver, plugins[1].driver);
  EXPECT_NE(plugins[0].endpoint, plugins[1].endpoint);
  EXPECT_LT(plugins[0].id, plugins[1].id);
}

TEST_F(DiscoveryTest, EmptyEndpointIsTheRegistrationSocket) {
  auto options = DriverOptions();
  options.one_socket = true;
  sim::Driver driver(options);
  ASSERT_TRUE(driver.Start());
  ASSERT_TRUE(StartLoop().RunUntilThereAre<event::PluginRegistered>(1));
  EXPECT_EQ(loop_->All<event::PluginRegistered>()[0].endpoint, driver.registration_socket());
}

TEST_F(DiscoveryTest, DriverInASubFolderWithAnOddNameIsReached) {
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  const fs::path odd = registry_ / "a b%41?#ä";
  fs::create_directory(odd);
  fs::rename(driver.registration_socket(), odd / "x.sock");
  ASSERT_TRUE(StartLoop().RunUntilThereAre<event::PluginRegistered>(1));
  EXPECT_EQ(loop_->All<event::PluginRegistered>()[0].registration_socket, odd / "x.sock");
}

TEST_F(DiscoveryTest, AmongTwentyDeadSocketsALiveDriverIsFoundAtOnce) {
  for (int i = 0; i < 20; ++i) const PlainSocket dead(registry_ / ("dead-" + std::to_string(i)));
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  EXPECT_TRUE(StartLoop().RunUntil([&] { return Registered() == 1; }, seconds{2}));
}

TEST_F(DiscoveryTest, SilentAndRudePeersDoNotDelayALiveDriver) {
  std::vector<std::unique_ptr<RudePeer>> peers;
  for (int i = 0; i < 5; ++i) {
    peers.push_back(std::make_unique<RudePeer>(registry_ / ("mute-" + std::to_string(i)), ""));
    peers.push_back(std::make_unique<RudePeer>(registry_ / ("rude-" + std::to_string(i)),
                                               "HTTP/1.1 400 Bad Request\r\n\r\n"));
  }
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  EXPECT_TRUE(StartLoop().RunUntil([&] { return Registered() == 1; }, seconds{2}));
}

TEST_F(DiscoveryTest, DriverThatNeverAnswersGetInfoIsAskedAgainAndDelaysNobody) {
  auto options = DriverOptions("mute.example.com");
  options.answer_info = false;
  sim::Driver mute(options);
  ASSERT_TRUE(mute.Start());
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());
  auto discovery_options = Options();
  discovery_options.info_timeout = seconds{1};
  ASSERT_TRUE(StartLoop(discovery_options).RunUntil([&] { return Registered() == 1; }));
  EXPECT_TRUE(loop_->RunUntil([&] { return mute.counts().info_calls >= 2; }));
  EXPECT_EQ(Registered(), 1u);
}

TEST_F(DiscoveryTest, SocketSeenBeforeItListensIsAskedAgainSoonAndWithoutAWarning) {
  const LogCapture log;
  PlainSocket socket(registry_ / "early");
  StartLoop();
  const auto refused = [&] { return loop_->discovery().open_calls() == 0; };
  loop_->discovery().Poll();
  ASSERT_TRUE(loop_->RunUntil(refused));
  socket.Listen();
  pollfd connected{.fd = socket.fd(), .events = POLLIN, .revents = 0};
  EXPECT_TRUE(loop_->RunUntil([&] { return ::poll(&connected, 1, 0) == 1; }, seconds{2}));
  EXPECT_EQ(log.Count("warning"), 0);
}

TEST_F(DiscoveryTest, FolderThatIsMadeLaterIsFound) {
  fs::remove(registry_);
  StartLoop();
  loop_->discovery().Poll();
  sim::Driver driver(DriverOptions());
  ASSERT_TRUE(driver.Start());  // makes the folder
  EXPECT_TRUE(loop_->RunUntilThereAre<event::PluginRegistered>(1));
}

TEST_F(DiscoveryTest, QuestionToASocketThatIsGoneIsGivenUp) {
  auto options = DriverOptions();
  options.answer_info = false;
  sim::Driver driver(options);
  ASSERT_TRUE(driver.Start());
  auto discovery_options = Options();
  discovery_options.info_timeout = seconds{3600};
  StartLoop(discovery_options);
  ASSERT_TRUE(loop_->RunUntil([&] { return driver.counts().info_calls == 1; }));
  fs::remove(driver.registration_socket());
  EXPECT_TRUE(loop_->RunUntil([&] { return loop_->discovery().open_calls() == 0; }));
}

TEST_F(DiscoveryTest, StopEndsEveryCallSoon) {
  auto options = DriverOptions();
  options.answer_info = false;
  sim::Driver driver(options);
  ASSERT_TRUE(driver.Start());
  auto discovery_options = Options();
  discovery_options.info_timeout = seconds{3600};
  StartLoop(discovery_options);
  ASSERT_TRUE(loop_->RunUntil([&] { return driver.counts().info_calls == 1; }));
  EXPECT_EQ(loop_->discovery().open_calls(), 1u);
  loop_->discovery().Stop();
  EXPECT_TRUE(loop_->RunUntil([&] { return loop_->discovery().open_calls() == 0; }));
  EXPECT_EQ(loop_->discovery().NextDeadline(), BootTime::max());
}

}  // namespace
}  // namespace dra_health

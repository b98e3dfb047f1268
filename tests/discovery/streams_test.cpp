#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "discovery_fixture.h"
#include "dra_health/v1.pb.h"
#include "plain_socket.h"

namespace dra_health {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<DeviceReport> kOneHealthy = {
    {.pool = "pool", .device = "gpu-0", .health = Health::kHealthy}};
const std::vector<DeviceReport> kOneUnhealthy = {
    {.pool = "pool", .device = "gpu-0", .health = Health::kUnhealthy, .message = "XID 79"}};

class StreamsTest : public DiscoveryFixture {
 protected:
  // Starts `driver`, waits until it is registered and opens a stream to it.
  PluginId Open(sim::Driver& driver, const std::string& service = sim::kHealthV1) {
    return Open(driver, Options(), service);
  }
  PluginId Open(sim::Driver& driver, const DiscoveryOptions& options,
                const std::string& service = sim::kHealthV1) {
    EXPECT_TRUE(driver.Start());
    EXPECT_TRUE(StartLoop(options).RunUntilThereAre<event::PluginRegistered>(1));
    const PluginId id = loop_->All<event::PluginRegistered>().at(0).id;
    loop_->discovery().OpenStream(id, driver.endpoint(), service);
    return id;
  }

  std::vector<event::ReportReceived> Reports() const { return loop_->All<event::ReportReceived>(); }
  bool RunUntilReports(std::size_t count) {
    return loop_->RunUntilThereAre<event::ReportReceived>(count);
  }
  bool RunUntilEnded() { return loop_->RunUntilThereAre<event::StreamEnded>(1); }
  event::StreamEnded Ended() const { return loop_->All<event::StreamEnded>().at(0); }
};

class StreamsOfEachVersionTest : public StreamsTest,
                                 public ::testing::WithParamInterface<const char*> {};

TEST_P(StreamsOfEachVersionTest, ReportsArriveInOrderAfterTheStreamIsOpened) {
  auto options = DriverOptions();
  options.services = {GetParam()};
  sim::Driver driver(options);
  driver.Report(kOneHealthy);
  const PluginId id = Open(driver, GetParam());
  ASSERT_TRUE(RunUntilReports(1));
  EXPECT_EQ(loop_->All<event::StreamOpened>().size(), 1u);
  EXPECT_EQ(loop_->All<event::StreamOpened>()[0].id, id);
  driver.Report(kOneUnhealthy);
  ASSERT_TRUE(RunUntilReports(2));
  EXPECT_EQ(Reports()[0].id, id);
  EXPECT_EQ(Reports()[0].devices.at(0).health, Health::kHealthy);
  EXPECT_EQ(Reports()[1].devices.at(0).health, Health::kUnhealthy);
  EXPECT_EQ(Reports()[1].devices.at(0).message, "XID 79");
}

INSTANTIATE_TEST_SUITE_P(Versions, StreamsOfEachVersionTest,
                         ::testing::Values(sim::kHealthV1, sim::kHealthV1Alpha1),
                         [](const auto& tested) {
                           return std::string(tested.param) == sim::kHealthV1 ? "v1" : "v1alpha1";
                         });

TEST_F(StreamsTest, StreamThatNeverSendsIsOpenedAllTheSame) {
  sim::Driver driver(DriverOptions());
  driver.Silence();
  Open(driver);
  EXPECT_TRUE(loop_->RunUntilThereAre<event::StreamOpened>(1));
  EXPECT_TRUE(Reports().empty());
}

TEST_F(StreamsTest, NextReportIsReadOnlyWhenTheLastHasBeenTakenCareOf) {
  sim::Driver driver(DriverOptions());
  const PluginId id = Open(driver);
  loop_->set_read_on(false);
  ASSERT_TRUE(RunUntilReports(1));
  driver.Report(kOneHealthy);
  driver.Report(kOneUnhealthy);
  int turns = 0;
  loop_->RunUntil([&] { return ++turns == 10; });
  EXPECT_EQ(Reports().size(), 1u);
  loop_->discovery().ReadNext(id);
  loop_->discovery().ReadNext(id);  // one too many: harmless
  ASSERT_TRUE(RunUntilReports(2));
  loop_->discovery().ReadNext(id);
  ASSERT_TRUE(RunUntilReports(3));
  EXPECT_EQ(Reports()[2].devices.at(0).health, Health::kUnhealthy);
}

TEST_F(StreamsTest, InvalidUtf8FromADriverDoesNotLoseTheReport) {
  sim::Driver driver(DriverOptions());
  driver.Report({{.pool = "pool", .device = "bad\xff", .message = "\xc3("},
                 {.pool = "pool", .device = "good", .health = Health::kHealthy}});
  Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  ASSERT_EQ(Reports()[0].devices.size(), 2u);
  EXPECT_EQ(Reports()[0].devices[0].device, "bad\xEF\xBF\xBD");
}

TEST_F(StreamsTest, NamelessDevicesAndThoseBeyondTheLimitAreDroppedAndCounted) {
  auto options = Options();
  options.max_devices_per_report = 2;
  sim::Driver driver(DriverOptions());
  driver.Report({{.pool = "pool", .device = ""},
                 {.pool = "pool", .device = "a"},
                 {.pool = "pool", .device = "b"},
                 {.pool = "pool", .device = "c"}});
  Open(driver, options);
  ASSERT_TRUE(RunUntilReports(1));
  EXPECT_EQ(Reports()[0].devices.size(), 2u);
  EXPECT_EQ(Reports()[0].dropped, 2u);
}

TEST_F(StreamsTest, UnknownEnumValueIsUnknown) {
  sim::Driver driver(DriverOptions());
  Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  v1::NodeWatchResourcesResponse report;
  auto& device = *report.add_devices();
  device.mutable_device()->set_pool_name("pool");
  device.mutable_device()->set_device_name("gpu-0");
  device.set_health(static_cast<v1::HealthStatus>(42));
  driver.SendRaw(report.SerializeAsString());
  ASSERT_TRUE(RunUntilReports(2));
  EXPECT_EQ(Reports()[1].devices.at(0).health, Health::kUnknown);
}

TEST_F(StreamsTest, MessageThatIsNoReportEndsTheStreamAndSaysSo) {
  sim::Driver driver(DriverOptions());
  Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  driver.SendRaw("\xff\xff\xff");
  ASSERT_TRUE(RunUntilEnded());
  EXPECT_THAT(Ended().why, HasSubstr("no NodeWatchResourcesResponse"));
  EXPECT_FALSE(Ended().unimplemented);
}

TEST_F(StreamsTest, ReportBeyondTheByteLimitEndsTheStreamAndNamesTheLimit) {
  auto options = Options();
  options.max_report_bytes = 10'000;
  sim::Driver driver(DriverOptions());
  Open(driver, options);
  ASSERT_TRUE(RunUntilReports(1));
  driver.Report({{.pool = "pool", .device = "a", .message = std::string(20'000, 'x')}});
  ASSERT_TRUE(RunUntilEnded());
  EXPECT_THAT(Ended().why, AllOf(StartsWith("RESOURCE_EXHAUSTED"), HasSubstr("10000 bytes")));
}

TEST_F(StreamsTest, ReportOverGrpcsOwnDefaultLimitArrives) {
  sim::Driver driver(DriverOptions());
  Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  driver.Report({{.pool = "pool", .device = "a", .message = std::string(5 << 20, 'x')}});
  ASSERT_TRUE(RunUntilReports(2));
  EXPECT_EQ(Reports()[1].devices.at(0).message.size(), 1024u);
}

class StreamEndTest : public StreamsTest, public ::testing::WithParamInterface<int> {};

TEST_P(StreamEndTest, EveryCodeIsHandedOnAndOnlyUnimplementedIsFinal) {
  sim::Driver driver(DriverOptions());
  const PluginId id = Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  driver.EndStreams(GetParam(), "the driver's\nwords");
  ASSERT_TRUE(RunUntilEnded());
  EXPECT_EQ(Ended().id, id);
  EXPECT_EQ(Ended().unimplemented, GetParam() == 12);
  // gRPC drops the words of an OK.
  if (GetParam() != 0) {
    EXPECT_THAT(Ended().why, HasSubstr(": the driver's words"));
  }
  EXPECT_FALSE(Ended().why.starts_with("code"));
  EXPECT_EQ(loop_->discovery().open_calls(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Codes, StreamEndTest, ::testing::Range(0, 17));

TEST_F(StreamsTest, DriverWithoutTheServiceIsUnimplementedAndNeverOpened) {
  auto options = DriverOptions();
  options.serve_health = false;
  sim::Driver driver(options);
  Open(driver);
  ASSERT_TRUE(RunUntilEnded());
  EXPECT_TRUE(Ended().unimplemented);
  EXPECT_THAT(Ended().why, StartsWith("UNIMPLEMENTED"));
  EXPECT_TRUE(loop_->All<event::StreamOpened>().empty());
}

TEST_F(StreamsTest, KilledDriverEndsTheStreamAndANewOneFailsAtOnce) {
  sim::Driver driver(DriverOptions());
  const PluginId id = Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  driver.Kill();
  ASSERT_TRUE(RunUntilEnded());
  loop_->discovery().OpenStream(id, driver.endpoint(), sim::kHealthV1);
  ASSERT_TRUE(loop_->RunUntilThereAre<event::StreamEnded>(2));
  EXPECT_THAT(loop_->All<event::StreamEnded>()[1].why, StartsWith("UNAVAILABLE"));
  EXPECT_EQ(loop_->All<event::StreamOpened>().size(), 1u);
}

TEST_F(StreamsTest, StreamToARestartedDriverWorksAtOnce) {
  sim::Driver driver(DriverOptions());
  const PluginId id = Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  for (std::size_t round = 1; round <= 3; ++round) {
    driver.Stop();
    ASSERT_TRUE(loop_->RunUntilThereAre<event::StreamEnded>(round));
    ASSERT_TRUE(driver.Start());
    loop_->discovery().OpenStream(id, driver.endpoint(), sim::kHealthV1);
    ASSERT_TRUE(RunUntilReports(round + 1));
  }
}

TEST_F(StreamsTest, GarbageInPlaceOfADriverEndsTheStream) {
  StartLoop();
  const RudePeer peer(folder_ / "rude.sock", "HTTP/1.1 400 Bad Request\r\n\r\n");
  loop_->discovery().OpenStream(1, folder_ / "rude.sock", sim::kHealthV1);
  ASSERT_TRUE(RunUntilEnded());
  EXPECT_THAT(Ended().why, StartsWith("UNAVAILABLE"));
}

TEST_F(StreamsTest, PeerThatNeverSpeaksEndsTheStreamInBoundedTime) {
  StartLoop();
  const RudePeer peer(folder_ / "mute.sock", "");
  loop_->discovery().OpenStream(1, folder_ / "mute.sock", sim::kHealthV1);
  EXPECT_TRUE(RunUntilEnded());
}

TEST_F(StreamsTest, PathsThatCannotBeReachedEndTheStream) {
  StartLoop();
  loop_->discovery().OpenStream(1, folder_ / "none.sock", sim::kHealthV1);
  loop_->discovery().OpenStream(2, folder_ / std::string(200, 'x'), sim::kHealthV1);
  ASSERT_TRUE(loop_->RunUntilThereAre<event::StreamEnded>(2));
  EXPECT_EQ(loop_->discovery().open_calls(), 0u);
}

TEST_F(StreamsTest, ClosedStreamEndsWhetherAReportIsBeingReadOrWaitsForTheCaller) {
  for (const bool read_on : {true, false}) {
    sim::Driver driver(DriverOptions());
    const PluginId id = Open(driver);
    loop_->set_read_on(read_on);
    ASSERT_TRUE(RunUntilReports(1));
    loop_->discovery().CloseStream(id);
    loop_->discovery().CloseStream(id);
    loop_->discovery().ReadNext(id);
    ASSERT_TRUE(RunUntilEnded());
    EXPECT_EQ(Ended().why, "closed by the agent");
    EXPECT_TRUE(loop_->RunUntil([&] { return driver.counts().streams_ended == 1; }));
    EXPECT_EQ(loop_->All<event::StreamEnded>().size(), 1u);
  }
}

// Close meets the next report on its way at every point, also while it is being converted. Under
// ASan this finds early frees.
TEST_F(StreamsTest, ClosingDuringAFloodEndsEveryStreamExactlyOnce) {
  constexpr std::size_t kRounds = 16;
  sim::Driver driver(DriverOptions());
  std::vector<DeviceReport> many;
  for (int i = 0; i < 2'000; ++i) many.push_back({.pool = "pool", .device = std::to_string(i)});
  driver.Report(many);
  const PluginId id = Open(driver);
  loop_->set_read_on(false);
  std::size_t seen = 0;
  for (std::size_t round = 1; round <= kRounds; ++round) {
    ASSERT_TRUE(RunUntilReports(seen + 1));
    driver.Resend();
    loop_->discovery().ReadNext(id);
    for (std::size_t i = 0; i < round * 500; ++i) std::this_thread::yield();
    loop_->discovery().CloseStream(id);  // and nobody asks for more
    ASSERT_TRUE(loop_->RunUntilThereAre<event::StreamEnded>(round)) << "round " << round;
    seen = Reports().size();
    if (round < kRounds) loop_->discovery().OpenStream(id, driver.endpoint(), sim::kHealthV1);
  }
  EXPECT_EQ(loop_->discovery().open_calls(), 0u);
  EXPECT_EQ(loop_->All<event::StreamEnded>().size(), kRounds);
}

TEST_F(StreamsTest, StopClosesStreams) {
  sim::Driver driver(DriverOptions());
  Open(driver);
  ASSERT_TRUE(RunUntilReports(1));
  loop_->discovery().Stop();
  ASSERT_TRUE(RunUntilEnded());
  loop_->discovery().OpenStream(2, driver.endpoint(), sim::kHealthV1);
  EXPECT_TRUE(loop_->RunUntilThereAre<event::StreamEnded>(2));
  EXPECT_EQ(loop_->discovery().open_calls(), 0u);
}

}  // namespace
}  // namespace dra_health

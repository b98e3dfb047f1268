#include "discovery/report_converter.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dra_health/v1.pb.h"

namespace dra_health {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class ReportConverterTest : public ::testing::Test {
 protected:
  v1::DeviceHealth& Add(const std::string& pool, const std::string& device,
                        v1::HealthStatus health = v1::HEALTHY, const std::string& message = "") {
    v1::DeviceHealth& added = *report_.add_devices();
    added.mutable_device()->set_pool_name(pool);
    added.mutable_device()->set_device_name(device);
    added.set_health(health);
    added.set_message(message);
    return added;
  }

  ConvertedReport Convert(std::size_t max_devices = 100) const {
    return ConvertReport(report_, max_devices);
  }

  v1::NodeWatchResourcesResponse report_;
};

TEST_F(ReportConverterTest, CarriesEveryField) {
  auto& sent = Add("pool/a", "gpu-0", v1::UNHEALTHY, "XID 79");
  sent.set_last_updated_time(1'800'000'000);
  sent.set_health_check_timeout_seconds(15);
  const auto converted = Convert();
  ASSERT_EQ(converted.devices.size(), 1u);
  const DeviceReport& device = converted.devices[0];
  EXPECT_EQ(device.pool, "pool/a");
  EXPECT_EQ(device.device, "gpu-0");
  EXPECT_EQ(device.health, Health::kUnhealthy);
  EXPECT_EQ(device.message, "XID 79");
  EXPECT_EQ(device.last_updated, 1'800'000'000);
  EXPECT_EQ(device.lease, seconds{15});
  EXPECT_EQ(converted.dropped, 0u);
}

TEST_F(ReportConverterTest, EmptyReportIsNoDevices) {
  EXPECT_TRUE(Convert().devices.empty());
  EXPECT_EQ(Convert().dropped, 0u);
}

TEST_F(ReportConverterTest, UnknownEnumValueIsUnknown) {
  Add("p", "d", static_cast<v1::HealthStatus>(7));
  Add("p", "e", v1::UNKNOWN);
  EXPECT_EQ(Convert().devices.at(0).health, Health::kUnknown);
  EXPECT_EQ(Convert().devices.at(1).health, Health::kUnknown);
}

TEST_F(ReportConverterTest, LeaseIsClamped) {
  const std::pair<std::int64_t, seconds> cases[] = {
      {0, seconds{0}},
      {-1, seconds{0}},
      {std::numeric_limits<std::int64_t>::min(), seconds{0}},
      {1, seconds{1}},
      {86'400, hours{24}},
      {86'401, hours{24}},
      {std::numeric_limits<std::int64_t>::max(), hours{24}}};
  for (const auto& [sent, lease] : cases) {
    report_.Clear();
    Add("p", "d").set_health_check_timeout_seconds(sent);
    EXPECT_EQ(Convert().devices.at(0).lease, lease) << sent;
  }
}

TEST_F(ReportConverterTest, DriverTimeIsKeptHoweverOdd) {
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{-5}, std::numeric_limits<std::int64_t>::max()}) {
    report_.Clear();
    Add("p", "d").set_last_updated_time(time);
    EXPECT_EQ(Convert().devices.at(0).last_updated, time);
  }
}

TEST_F(ReportConverterTest, UnusableNamesAreDroppedAndCounted) {
  Add("", "d");
  Add("p", "");
  Add(" \n", "d");
  Add("p", std::string(254, 'x'));
  report_.add_devices()->set_health(v1::HEALTHY);  // no identifier at all
  Add("p", std::string(253, 'x'));
  const auto converted = Convert();
  EXPECT_EQ(converted.devices.size(), 1u);
  EXPECT_EQ(converted.dropped, 5u);
}

TEST_F(ReportConverterTest, TextBecomesPrintable) {
  Add("p\xff", "d", v1::UNHEALTHY, std::string("a\0b\nc\xc3(", 7));
  const auto converted = Convert();
  EXPECT_EQ(converted.devices.at(0).pool, "p\xEF\xBF\xBD");
  EXPECT_EQ(converted.devices.at(0).message, "a b c\xEF\xBF\xBD(");
}

TEST_F(ReportConverterTest, MessageIsCutToWhatTheApiServerTakes) {
  Add("p", "d", v1::UNHEALTHY, std::string(5'000, 'x'));
  const std::string message = Convert().devices.at(0).message;
  EXPECT_EQ(message.size(), 1024u);
  EXPECT_TRUE(message.ends_with("x..."));
}

TEST_F(ReportConverterTest, OfADeviceNamedTwiceTheWorseHealthStaysWhateverTheOrder) {
  Add("p", "d", v1::UNHEALTHY, "broken");
  Add("p", "e", v1::HEALTHY, "fine");
  Add("p", "d", v1::HEALTHY, "passed");
  Add("p", "e", v1::UNKNOWN, "cannot tell");
  const auto converted = Convert();
  ASSERT_EQ(converted.devices.size(), 2u);
  EXPECT_EQ(converted.devices[0].health, Health::kUnhealthy);
  EXPECT_EQ(converted.devices[0].message, "broken");
  EXPECT_EQ(converted.devices[1].health, Health::kUnknown);
  EXPECT_EQ(converted.devices[1].message, "cannot tell");
  EXPECT_EQ(converted.dropped, 0u);
}

TEST_F(ReportConverterTest, OfTwoEqualOnesTheLaterWordsStay) {
  Add("p", "d", v1::UNHEALTHY, "first");
  Add("p", "d", v1::UNHEALTHY, "second");
  EXPECT_EQ(Convert().devices.at(0).message, "second");
}

TEST_F(ReportConverterTest, SameDeviceNameInTwoPoolsIsTwoDevices) {
  Add("p", "d");
  Add("q", "d");
  EXPECT_EQ(Convert().devices.size(), 2u);
}

TEST_F(ReportConverterTest, BeyondTheLimitDevicesAreDroppedAndCountedButKnownOnesStillWorsen) {
  for (int i = 0; i < 5; ++i) Add("p", "d" + std::to_string(i));
  Add("p", "d0", v1::UNHEALTHY);
  const auto converted = Convert(3);
  EXPECT_EQ(converted.devices.size(), 3u);
  EXPECT_EQ(converted.dropped, 2u);
  EXPECT_EQ(converted.devices[0].health, Health::kUnhealthy);
}

}  // namespace
}  // namespace dra_health

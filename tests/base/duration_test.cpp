#include "base/duration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace dra_health {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Duration, ReadsWhatGoReads) {
  const std::vector<std::pair<std::string, std::chrono::nanoseconds>> cases = {
      {"0", 0ns},          {"0s", 0ns},      {"500ms", 500ms}, {"30s", 30s},
      {"5m", 5min},        {"1h30m", 90min}, {"168h", 168h},   {"1.5s", 1500ms},
      {"1h0m1s", 3601s},   {"7us", 7us},     {"9ns", 9ns},     {"0.25h", 15min},
      {"1s500ms", 1500ms}, {"90s", 90s},     {"1.s", 1s},      {"0.0000000001s", 0ns},
  };
  for (const auto& [text, expected] : cases) {
    const auto parsed = ParseDuration(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error();
    EXPECT_EQ(*parsed, expected) << text;
  }
}

TEST(Duration, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is no duration"},
      {"30", "needs a unit"},
      {"1h30", "needs a unit"},
      {"5d", "unknown unit"},
      {"5 s", "unknown unit"},
      {"s", "is no duration"},
      {"-5s", "is no duration"},
      {"+5s", "is no duration"},
      {".5s", "is no duration"},
      {"1.2.3s", "needs a unit"},
      {"99999999999h", "too long"},
      {"soon", "is no duration"},
      {"9223372036854775808ns", "too long"},
      {"2562047h48m", "too long"},
      {"5s ", "unknown unit"},
  };
  for (const auto& [text, what] : cases) {
    const auto parsed = ParseDuration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error(), HasSubstr(what)) << text;
    EXPECT_THAT(parsed.error(), HasSubstr("'" + text + "'"));
  }
}

TEST(Duration, PrintsTheCanonicalForm) {
  EXPECT_EQ(FormatDuration(0ns), "0s");
  EXPECT_EQ(FormatDuration(168h), "168h");
  EXPECT_EQ(FormatDuration(90min), "1h30m");
  EXPECT_EQ(FormatDuration(1500ms), "1s500ms");
  EXPECT_EQ(FormatDuration(90s), "1m30s");
}

TEST(Duration, WhatIsPrintedReadsBackToTheSame) {
  const std::vector<std::int64_t> values = {0,
                                            1,
                                            999,
                                            1'000,
                                            59'999'999'999,
                                            3'600'000'000'001,
                                            86'400'123'456'789,
                                            std::numeric_limits<std::int64_t>::max()};
  for (const std::int64_t count : values) {
    const std::chrono::nanoseconds value{count};
    EXPECT_EQ(ParseDuration(FormatDuration(value)), value) << FormatDuration(value);
  }
}

}  // namespace
}  // namespace dra_health

#include "cli/cache_time.h"

#include <gtest/gtest.h>

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kNoon{milliseconds{1'796'040'000'000}};  // 2026-11-30T12:00:00Z

TEST(FormatAgeTest, UnitGrowsWithTheAge) {
  const auto age = [](std::int64_t of) { return FormatAge(kNoon - seconds{of}, kNoon); };
  EXPECT_EQ(age(0), "0s");
  EXPECT_EQ(age(119), "119s");
  EXPECT_EQ(age(120), "2m");
  EXPECT_EQ(age(7199), "119m");
  EXPECT_EQ(age(7200), "2h");
  EXPECT_EQ(age(172'799), "47h");
  EXPECT_EQ(age(172'800), "2d");
}

TEST(FormatAgeTest, ClockThatWasSetBackGivesNoNegativeAge) {
  EXPECT_EQ(FormatAge(kNoon + seconds{5}, kNoon), "0s");
}

}  // namespace
}  // namespace dra_health

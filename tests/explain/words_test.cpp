#include "explain/words.h"

#include <gtest/gtest.h>

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(DurationTest, HasAtMostTwoUnitsAndIsNeverRoundedUp) {
  EXPECT_EQ(Duration(milliseconds{999}), "less than 1 s");
  EXPECT_EQ(Duration(milliseconds{1999}), "1 s");
  EXPECT_EQ(Duration(seconds{59}), "59 s");
  EXPECT_EQ(Duration(seconds{60}), "1 min");
  EXPECT_EQ(Duration(seconds{200}), "3 min 20 s");
  EXPECT_EQ(Duration(seconds{3600 * 2 + 359}), "2 h 5 min");
  EXPECT_EQ(Duration(seconds{86'400 * 3 + 3600 * 4 + 59}), "3 d 4 h");
  EXPECT_EQ(Duration(seconds{-5}), "less than 1 s") << "the clock was set back";
}

TEST(CountedTest, OneIsSingular) {
  EXPECT_EQ(Counted(1, "device"), "1 device");
  EXPECT_EQ(Counted(0, "device"), "0 devices");
}

TEST(ListedTest, LongListsAreCut) {
  EXPECT_EQ(Listed({}), "");
  EXPECT_EQ(Listed({"a"}), "a");
  EXPECT_EQ(Listed({"a", "b"}), "a and b");
  EXPECT_EQ(Listed({"a", "b", "c", "d"}), "a, b, c and d");
  EXPECT_EQ(Listed({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
}

TEST(CodeOfTest, SaysWhatWasTold) {
  EXPECT_EQ(CodeOf({.exit_code = 1}), "code 1");
  EXPECT_EQ(CodeOf({.exit_code = 1, .reason = "Error"}), "code 1 (Error)");
  EXPECT_EQ(CodeOf({.exit_code = 137, .signal = 9}), "code 137 (signal 9)");
  EXPECT_EQ(CodeOf({.exit_code = 137, .signal = 9, .reason = "Error"}),
            "code 137 (Error, signal 9)");
}

TEST(WhyTest, EveryReasonHasItsWords) {
  for (int i = 0; i <= static_cast<int>(UnknownReason::kNotSupported); ++i) {
    EXPECT_FALSE(Why(static_cast<UnknownReason>(i)).empty()) << i;
  }
}

TEST(WhyNotOfferedTest, SaysWhetherItCannotOrMayNot) {
  DriverRecord driver{.name = "d", .state = DriverState::kGone};
  EXPECT_EQ(WhyNotOffered("d", &driver), "") << "it did once";
  driver.state = DriverState::kUnsupported;
  EXPECT_EQ(WhyNotOffered("d", &driver), "driver d offers no health service");
  driver.state = DriverState::kOff;
  EXPECT_EQ(WhyNotOffered("d", &driver), "driver d is turned off by configuration");
  EXPECT_EQ(WhyNotOffered("d", nullptr), "no driver d has been seen");
}

}  // namespace
}  // namespace dra_health

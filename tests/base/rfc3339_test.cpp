#include "base/rfc3339.h"

#include <gtest/gtest.h>

namespace dra_health {
namespace {

using std::chrono::milliseconds;

constexpr WallTime kNoon{milliseconds{1'796'040'000'000}};  // 2026-11-30T12:00:00Z

TEST(ParseRfc3339Test, ReadsWhatIsPrinted) {
  EXPECT_EQ(FormatTime(kNoon), "2026-11-30T12:00:00Z");
  EXPECT_EQ(ParseRfc3339(FormatTime(kNoon)), kNoon);
  EXPECT_EQ(ParseRfc3339(FormatTimeMillis(kNoon + milliseconds{7})), kNoon + milliseconds{7});
}

TEST(ParseRfc3339Test, FractionsAreCutToMilliseconds) {
  EXPECT_EQ(ParseRfc3339("2026-11-30T12:00:00.5Z"), kNoon + milliseconds{500});
  EXPECT_EQ(ParseRfc3339("2026-11-30T12:00:00.123999999Z"), kNoon + milliseconds{123});
}

TEST(ParseRfc3339Test, OffsetsAreTakenOff) {
  EXPECT_EQ(ParseRfc3339("2026-11-30T13:30:00+01:30"), kNoon);
  EXPECT_EQ(ParseRfc3339("2026-11-30T07:00:00-05:00"), kNoon);
  EXPECT_EQ(ParseRfc3339("2026-12-01T01:00:00+13:00"), kNoon) << "across midnight";
}

TEST(ParseRfc3339Test, LetterCaseAndABlankAreAllowed) {
  EXPECT_EQ(ParseRfc3339("2026-11-30t12:00:00z"), kNoon);
  EXPECT_EQ(ParseRfc3339("2026-11-30 12:00:00Z"), kNoon);
}

TEST(ParseRfc3339Test, AnythingElseIsRefused) {
  for (const char* text :
       {"", "2026", "2026-11-30", "2026-11-30T12:00Z", "2026-11-30T12:00:00",
        "2026-02-30T12:00:00Z", "2026-13-01T12:00:00Z", "2026-11-30T24:00:00Z",
        "2026-11-30T12:60:00Z", "2026-11-30T12:00:61Z", "2026-11-30T12:00:00.Z",
        "2026-11-30T12:00:00Zx", "2026-11-30T12:00:00+1:00", "2026-11-30T12:00:00+24:00",
        "2026-11-30T12:00:00+01", " 2026-11-30T12:00:00Z", "+026-11-30T12:00:00Z", "yesterday"}) {
    EXPECT_EQ(ParseRfc3339(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace dra_health

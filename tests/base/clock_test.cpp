#include "base/clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace dra_health {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNoon = std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 12h;

TEST(FormatTime, IsRfc3339InUtc) {
  EXPECT_EQ(FormatTime(kNoon), "2026-11-30T12:00:00Z");
  EXPECT_EQ(FormatTime(WallTime{}), "1970-01-01T00:00:00Z");
}

TEST(FormatTime, CutsTheFraction) { EXPECT_EQ(FormatTime(kNoon + 999ms), "2026-11-30T12:00:00Z"); }

TEST(FormatTime, CopesWithTimesBefore1970) {
  EXPECT_EQ(FormatTime(WallTime{-1ms}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(FormatTimeMillis(WallTime{-1ms}), "1969-12-31T23:59:59.999Z");
}

TEST(FormatTimeMillis, HasThreeDigits) {
  EXPECT_EQ(FormatTimeMillis(kNoon), "2026-11-30T12:00:00.000Z");
  EXPECT_EQ(FormatTimeMillis(kNoon + 7ms), "2026-11-30T12:00:00.007Z");
  EXPECT_EQ(FormatTimeMillis(kNoon + 123ms), "2026-11-30T12:00:00.123Z");
}

TEST(FakeClock, MovesOnlyWhenTold) {
  FakeClock clock;
  const Moment start = clock.Now();
  EXPECT_EQ(clock.Now().boot, start.boot);
  clock.Advance(1500ms);
  EXPECT_EQ(clock.Now().boot - start.boot, 1500ms);
  EXPECT_EQ(clock.Now().wall - start.wall, 1500ms);
}

TEST(FakeClock, AStepOfTheWallClockLeavesTheBootClockAlone) {
  FakeClock clock;
  const Moment start = clock.Now();
  clock.StepWall(-1h);
  EXPECT_EQ(clock.Now().boot, start.boot);
  EXPECT_EQ(clock.Now().wall - start.wall, -1h);
}

TEST(SystemClock, NeverGoesBack) {
  const SystemClock clock;
  const Moment first = clock.Now();
  const Moment second = clock.Now();
  EXPECT_GE(second.boot, first.boot);
  EXPECT_GT(first.boot, BootTime{});
  EXPECT_GT(first.wall, kNoon - std::chrono::years{3});
}

TEST(BootId, IsTheSameEveryTime) {
  EXPECT_EQ(ReadBootId(), ReadBootId());
  EXPECT_EQ(ReadBootId().size(), 36u);  // a UUID
}

}  // namespace
}  // namespace dra_health

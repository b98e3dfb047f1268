#include "explain/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "explain/moments.h"
#include "tests/explain/histories.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const TimeFrame kFrame{At(100), At(200)};

TEST(ClippedTest, KeepsWhatLiesInTheFrame) {
  const auto clip = [](int from, int to) {
    return Clipped({At(from), At(to), SpanState::kHeld, ""}, kFrame);
  };
  EXPECT_EQ(clip(50, 150), (Span{At(100), At(150), SpanState::kHeld, ""}));
  EXPECT_EQ(clip(150, 250), (Span{At(150), At(200), SpanState::kHeld, ""}));
  EXPECT_EQ(clip(50, 99), std::nullopt);
  EXPECT_EQ(clip(201, 250), std::nullopt);
  EXPECT_EQ(clip(160, 150), std::nullopt) << "the clock was set back";
}

TEST(HealthSpansTest, WhatNobodySawIsAHole) {
  const auto health = Held("gpu-0", {{50, Health::kHealthy}}).health;
  EXPECT_THAT(HealthSpans(health, {{At(120), At(130)}, {At(180), std::nullopt}}, kFrame),
              ElementsAre(Span{At(100), At(120), SpanState::kHealthy, ""},
                          Span{At(130), At(180), SpanState::kHealthy, ""}));
  EXPECT_THAT(HealthSpans(health, {{At(90), At(210)}}, kFrame), IsEmpty());
}

TEST(HealthSpansTest, AChangeThatWasTheLastThingSeenIsSeen) {
  const auto health = Held("gpu-0", {{50, Health::kHealthy}, {150, Health::kUnhealthy}}).health;
  EXPECT_THAT(HealthSpans(health, {{At(150), std::nullopt}}, kFrame),
              ElementsAre(Span{At(100), At(150), SpanState::kHealthy, ""},
                          Span{At(150), At(150), SpanState::kUnhealthy, ""}));
}

TEST(HealthSpansTest, UnknownSaysWhy) {
  const auto health = Held("gpu-0", {{150, Health::kUnknown, "silent"}}).health;
  const auto spans = HealthSpans(health, {}, kFrame);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(spans[0].text, "NeverReported");
  EXPECT_EQ(spans[1].text, "LeaseExpired: silent");
}

TEST(RunSpansTest, ARunOfWhichNobodyToldTheEndLastsUntilTheNext) {
  const auto spans = RunSpans({{.restart = 0, .started = At(110)},
                               {.restart = 1, .started = At(130), .ended = At(140)},
                               {.restart = 2, .started = At(150)}},
                              std::nullopt, kFrame);
  EXPECT_THAT(
      spans,
      ElementsAre(Span{At(110), At(130), SpanState::kRunning, "how it ended was not told"},
                  Span{At(130), At(140), SpanState::kEndedWell, "restart 1, ended with code 0"},
                  Span{At(150), At(200), SpanState::kRunning, "restart 2, running"}));
}

TEST(AgentLaneTest, IsThereOnlyWhereAnAgentWasNot) {
  EXPECT_EQ(AgentLane({{At(10), At(20)}}, kFrame), std::nullopt);
  const auto lane = AgentLane({{WallTime::min(), std::nullopt}}, kFrame);
  ASSERT_TRUE(lane);
  EXPECT_EQ(lane->spans.at(0).from, At(100));
  EXPECT_EQ(lane->spans.at(0).to, At(200));
}

TEST(MomentsTest, OnlyThoseOfTheFrameAndAtOneTimeWhatWasBeforeWhatCame) {
  Moments moments(kFrame);
  moments.Add({.at = At(200), .kind = MomentKind::kPodDeleted});
  moments.Add({.at = At(200), .kind = MomentKind::kPodEnded});
  moments.Add({.at = At(99), .kind = MomentKind::kSeen});
  moments.AddRun("container train", {.restart = 2, .started = At(50), .ended = At(150)});
  const auto taken = moments.Take();
  ASSERT_THAT(taken, SizeIs(3));
  EXPECT_EQ(taken[0].kind, MomentKind::kEnded);
  EXPECT_EQ(taken[0].text, "restart 2, with code 0");
  EXPECT_EQ(taken[1].kind, MomentKind::kPodEnded);
}

template <typename Enum>
void ExpectNames(Enum last) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto name = ToString(static_cast<Enum>(i));
    EXPECT_FALSE(name.empty()) << i;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(NamesTest, EachIsThereAndDiffers) {
  ExpectNames(MomentKind::kAgentBack);
  ExpectNames(SpanState::kAway);
  ExpectNames(Lane::Kind::kAgent);
  ExpectNames(Finding::kDevice);
}

}  // namespace
}  // namespace dra_health

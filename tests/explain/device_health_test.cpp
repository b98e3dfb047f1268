#include "explain/device_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/explain/histories.h"

namespace dra_health {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(HealthOfTest, EachChangeBeginsASpanAndEndsTheOneBefore) {
  auto transitions = Turns("gpu-0", {{10, Health::kHealthy}, {20, Health::kUnhealthy, "Xid 79"}});
  transitions.push_back(Change(Gpu("gpu-1"), Health::kHealthy, Health::kUnhealthy, 15));
  const auto spans = HealthOf(Gpu("gpu-0"), transitions, nullptr);
  ASSERT_THAT(spans, SizeIs(3)) << "another device's changes are none of its";
  EXPECT_EQ(spans[0].from, std::nullopt);
  EXPECT_EQ(spans[0].to, At(10));
  EXPECT_EQ(spans[0].reason, UnknownReason::kNeverReported);
  EXPECT_EQ(spans[1].health, Health::kHealthy);
  EXPECT_EQ(spans[1].to, At(20));
  EXPECT_EQ(spans[2].message, "Xid 79");
  EXPECT_EQ(spans[2].to, std::nullopt);
}

TEST(HealthOfTest, WithoutAChangeThePresentStateIsAllThatIsKnown) {
  const DeviceRecord now = Device(Gpu("gpu-0"), Health::kUnknown, 30);
  const auto spans = HealthOf(Gpu("gpu-0"), {}, &now);
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_EQ(spans[0].from, At(30));
  EXPECT_EQ(spans[0].reason, UnknownReason::kLeaseExpired);
  EXPECT_THAT(HealthOf(Gpu("gpu-0"), {}, nullptr), IsEmpty());
}

TEST(HealthSpanTest, TheEndBelongsToTheNextSpan) {
  const HealthSpan span{.from = At(10), .to = At(20)};
  EXPECT_FALSE(span.Holds(At(9)));
  EXPECT_TRUE(span.Holds(At(10)));
  EXPECT_FALSE(span.Holds(At(20)));
  EXPECT_TRUE(HealthSpan{}.Holds(At(0)));
  EXPECT_FALSE(span.Overlaps(At(0), At(10)));
  EXPECT_TRUE(span.Overlaps(At(19), At(30)));
  EXPECT_FALSE(span.Overlaps(At(20), At(30)));
}

TEST(AwayTimesTest, ASilenceOfThreeSignsOfLifeIsAnAbsence) {
  const Presence presence{{{At(10), At(50)}}, Alive(100)};
  EXPECT_THAT(AwayTimes(presence, At(130)), SizeIs(1));
  const auto away = AwayTimes(presence, At(131));
  ASSERT_THAT(away, SizeIs(2));
  EXPECT_EQ(away[0].to, At(50));
  EXPECT_EQ(away[1].from, At(100));
  EXPECT_EQ(away[1].to, std::nullopt);
}

TEST(AwayTimesTest, WithoutASignOfLifeNoAgentWasEverThere) {
  const auto away = AwayTimes({}, At(0));
  ASSERT_THAT(away, SizeIs(1));
  EXPECT_TRUE(away[0].Holds(At(-1'000'000)));
}

}  // namespace
}  // namespace dra_health

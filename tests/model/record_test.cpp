#include "model/record.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace dra_health {
namespace {

TEST(DriverState, NamesRoundTripAndDiffer) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(DriverState::kGone); ++i) {
    const auto state = static_cast<DriverState>(i);
    EXPECT_FALSE(ToString(state).empty());
    EXPECT_EQ(ParseDriverState(ToString(state)), state);
    EXPECT_TRUE(names.insert(ToString(state)).second) << ToString(state);
  }
  EXPECT_FALSE(ParseDriverState("streaming"));
}

TEST(FieldState, NamesRoundTripAndDiffer) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(FieldState::kNone); ++i) {
    const auto state = static_cast<FieldState>(i);
    EXPECT_FALSE(ToString(state).empty());
    EXPECT_EQ(ParseFieldState(ToString(state)), state);
    EXPECT_TRUE(names.insert(ToString(state)).second) << ToString(state);
  }
  EXPECT_FALSE(ParseFieldState(""));
}

TEST(ContainerKind, NamesRoundTripAndDiffer) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ContainerKind::kInit); ++i) {
    const auto kind = static_cast<ContainerKind>(i);
    EXPECT_FALSE(ToString(kind).empty());
    EXPECT_EQ(ParseContainerKind(ToString(kind)), kind);
    EXPECT_TRUE(names.insert(ToString(kind)).second) << ToString(kind);
  }
  EXPECT_FALSE(ParseContainerKind("Ephemeral"));
}

TEST(DriverRecord, OffersNoHealthWhenUnsupportedOrOff) {
  DriverRecord driver;
  for (const DriverState state : {DriverState::kConnecting, DriverState::kNoData,
                                  DriverState::kStreaming, DriverState::kGone}) {
    driver.state = state;
    EXPECT_TRUE(driver.offers_health()) << ToString(state);
  }
  for (const DriverState state : {DriverState::kUnsupported, DriverState::kOff}) {
    driver.state = state;
    EXPECT_FALSE(driver.offers_health()) << ToString(state);
  }
}

}  // namespace
}  // namespace dra_health

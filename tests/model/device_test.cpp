#include "model/device.h"

#include <gtest/gtest.h>

#include <set>

namespace dra_health {
namespace {

TEST(DeviceKey, OrdersByDriverThenPoolThenDevice) {
  EXPECT_LT((DeviceKey{"a", "z", "z"}), (DeviceKey{"b", "a", "a"}));
  EXPECT_LT((DeviceKey{"a", "a", "z"}), (DeviceKey{"a", "b", "a"}));
  EXPECT_LT((DeviceKey{"a", "a", "a"}), (DeviceKey{"a", "a", "b"}));
  EXPECT_EQ((DeviceKey{"a", "b", "c"}), (DeviceKey{"a", "b", "c"}));
}

// Pool names may hold slashes: equal as a joined string is not equal.
TEST(DeviceKey, TellsApartWhatReadsAlike) {
  const DeviceKey one{"drv", "a/b", "c"};
  const DeviceKey two{"drv", "a", "b/c"};
  EXPECT_EQ(ResourceId(one), ResourceId(two));
  EXPECT_NE(one, two);
}

TEST(ResourceId, IsDriverPoolDevice) {
  EXPECT_EQ(ResourceId({"gpu.example.com", "node-1", "gpu-0"}), "gpu.example.com/node-1/gpu-0");
}

TEST(Health, NamesRoundTrip) {
  for (const Health health : {Health::kUnknown, Health::kHealthy, Health::kUnhealthy}) {
    EXPECT_EQ(ParseHealth(ToString(health)), health);
  }
  EXPECT_EQ(ToString(Health::kUnhealthy), "Unhealthy");
  EXPECT_FALSE(ParseHealth("healthy"));
  EXPECT_FALSE(ParseHealth(""));
}

TEST(Health, UnhealthyIsWorseThanUnknownIsWorseThanHealthy) {
  EXPECT_TRUE(IsWorse(Health::kUnhealthy, Health::kUnknown));
  EXPECT_TRUE(IsWorse(Health::kUnknown, Health::kHealthy));
  EXPECT_TRUE(IsWorse(Health::kUnhealthy, Health::kHealthy));
  for (const Health health : {Health::kUnknown, Health::kHealthy, Health::kUnhealthy}) {
    EXPECT_FALSE(IsWorse(health, health));
  }
}

TEST(UnknownReason, NamesRoundTripAndDiffer) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(UnknownReason::kNotSupported); ++i) {
    const auto reason = static_cast<UnknownReason>(i);
    EXPECT_EQ(ParseUnknownReason(ToString(reason)), reason);
    EXPECT_TRUE(names.insert(ToString(reason)).second) << ToString(reason);
  }
  EXPECT_EQ(ToString(UnknownReason::kNone), "");
  EXPECT_FALSE(ParseUnknownReason("Tired"));
}

}  // namespace
}  // namespace dra_health

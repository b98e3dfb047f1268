#include "model/publication.h"

#include <gtest/gtest.h>

#include <vector>

namespace dra_health {
namespace {

std::vector<ResourceStatus> Entries(Health health, std::string message = "") {
  return {{.name = "claim:gpu", .resources = {{"d/p/0", health, std::move(message)}}}};
}

TEST(SameEntries, EqualListsAreTheSame) {
  EXPECT_TRUE(SameEntries({}, {}, true));
  EXPECT_TRUE(SameEntries(Entries(Health::kHealthy), Entries(Health::kHealthy), true));
}

TEST(SameEntries, AnotherHealthIsADifference) {
  EXPECT_FALSE(SameEntries(Entries(Health::kHealthy), Entries(Health::kUnhealthy), false));
}

TEST(SameEntries, AnotherMessageIsADifferenceOnlyWhenMessagesCount) {
  const auto hot = Entries(Health::kUnhealthy, "71 C");
  const auto hotter = Entries(Health::kUnhealthy, "72 C");
  EXPECT_TRUE(SameEntries(hot, hotter, false));
  EXPECT_FALSE(SameEntries(hot, hotter, true));
}

TEST(SameEntries, AnotherNameDeviceOrLengthIsADifference) {
  const auto entries = Entries(Health::kHealthy);
  auto renamed = entries;
  renamed[0].name = "claim:gpu/req";
  EXPECT_FALSE(SameEntries(entries, renamed, false));
  auto other_device = entries;
  other_device[0].resources[0].resource_id = "d/p/1";
  EXPECT_FALSE(SameEntries(entries, other_device, false));
  auto more_devices = entries;
  more_devices[0].resources.push_back({"d/p/1", Health::kHealthy, ""});
  EXPECT_FALSE(SameEntries(entries, more_devices, false));
  EXPECT_FALSE(SameEntries(entries, {}, false));
}

}  // namespace
}  // namespace dra_health

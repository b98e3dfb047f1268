#include "cli/cache_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dra_health {
namespace {

using testing::HasSubstr;

constexpr WallTime kNow{std::chrono::seconds{1'796'040'000}};

CacheRequest Parsed(const CacheArguments& arguments) {
  const auto request = ParseCacheRequest(CacheTopic::kTransitions, arguments, kNow);
  if (!request) ADD_FAILURE() << request.error().option << ": " << request.error().problem;
  return request.value_or(CacheRequest{});
}

void ExpectWrong(const CacheArguments& arguments, const std::string& option,
                 const std::string& value, std::string_view allowed) {
  const auto request = ParseCacheRequest(CacheTopic::kDevices, arguments, kNow);
  ASSERT_FALSE(request) << option << " took " << value;
  EXPECT_EQ(request.error().option, option);
  EXPECT_THAT(request.error().problem, HasSubstr("'" + value + "'"));
  EXPECT_THAT(request.error().problem, HasSubstr("allowed: " + std::string(allowed)));
}

TEST(CacheRequestTest, WithoutOptionsEverythingIsShownAsATable) {
  const CacheRequest request = Parsed({.store = "/health.db"});
  EXPECT_EQ(request.topic, CacheTopic::kTransitions);
  EXPECT_EQ(request.store, "/health.db");
  EXPECT_EQ(request.format, CacheFormat::kTable);
  EXPECT_EQ(request.limit, 1000U);
  EXPECT_FALSE(request.filter.driver || request.filter.device || request.filter.pod ||
               request.filter.health || request.filter.since);
}

TEST(CacheRequestTest, Formats) {
  EXPECT_EQ(Parsed({.format = "table"}).format, CacheFormat::kTable);
  EXPECT_EQ(Parsed({.format = "wide"}).format, CacheFormat::kWide);
  EXPECT_EQ(Parsed({.format = "json"}).format, CacheFormat::kJson);
  ExpectWrong({.format = "yaml"}, "--output", "yaml", kAllowedFormats);
  ExpectWrong({.format = ""}, "--output", "", kAllowedFormats);
}

TEST(CacheRequestTest, HealthInAnyLetterCase) {
  EXPECT_EQ(Parsed({.health = "Unhealthy"}).filter.health, Health::kUnhealthy);
  EXPECT_EQ(Parsed({.health = "UNKNOWN"}).filter.health, Health::kUnknown);
  EXPECT_EQ(Parsed({.health = "healthy"}).filter.health, Health::kHealthy);
  ExpectWrong({.health = "sick"}, "--health", "sick", kAllowedHealth);
}

TEST(CacheRequestTest, SinceIsADurationBackOrATime) {
  EXPECT_EQ(Parsed({.since = "1h30m"}).filter.since, kNow - std::chrono::minutes{90});
  EXPECT_EQ(Parsed({.since = "2026-11-30T11:00:00Z"}).filter.since, kNow - std::chrono::hours{1});
  EXPECT_EQ(Parsed({.since = "2026-11-30"}).filter.since, kNow - std::chrono::hours{12});
  ExpectWrong({.since = "2026-02-30"}, "--since", "2026-02-30", kAllowedSince);
  ExpectWrong({.since = "yesterday"}, "--since", "yesterday", kAllowedSince);
  ExpectWrong({.since = "-5m"}, "--since", "-5m", kAllowedSince);
  ExpectWrong({.since = "5"}, "--since", "5", kAllowedSince);
}

TEST(CacheRequestTest, PodsInEachForm) {
  EXPECT_EQ(Parsed({.pod = "jobs/train-0"}).filter.pod, "jobs/train-0");
  EXPECT_EQ(Parsed({.pod = "train-0"}).filter.pod, "train-0");
  for (const char* wrong : {"", "/", "jobs/", "/train-0", "a/b/c"}) {
    ExpectWrong({.pod = wrong}, "--pod", wrong, kAllowedPods);
  }
}

TEST(CacheRequestTest, DriversAndDevices) {
  EXPECT_EQ(Parsed({.driver = "gpu.example.com"}).filter.driver, "gpu.example.com");
  EXPECT_EQ(Parsed({.device = "d/rack/7/port/1"}).filter.device, "d/rack/7/port/1");
  ExpectWrong({.driver = "gpu.example.com/gpu-0"}, "--driver", "gpu.example.com/gpu-0",
              kAllowedDrivers);
  ExpectWrong({.device = ""}, "--device", "", kAllowedDevices);
}

TEST(CacheRequestTest, Limits) {
  EXPECT_EQ(Parsed({.limit = "5"}).limit, 5U);
  EXPECT_EQ(Parsed({.limit = "0"}).limit, 0U);
  for (const char* wrong : {"", "-1", "many", "5k", "99999999999999999999"}) {
    ExpectWrong({.limit = wrong}, "--limit", wrong, kAllowedLimits);
  }
}

}  // namespace
}  // namespace dra_health

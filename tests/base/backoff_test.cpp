#include "base/backoff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

namespace dra_health {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToItsLimitWithJitterInTheUpperHalf) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    Backoff backoff({.first = 100ms, .most = 1s}, seed);
    for (const auto ceiling : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
      const auto delay = backoff.Next();
      EXPECT_GE(delay, ceiling / 2);
      EXPECT_LE(delay, ceiling);
    }
  }
}

TEST(Backoff, StaysAtItsLimitForEver) {
  Backoff backoff({.first = 1s, .most = 5min}, 1);
  for (int i = 0; i < 10'000; ++i) backoff.Next();
  const auto delay = backoff.Next();
  EXPECT_GE(delay, 150s);
  EXPECT_LE(delay, 5min);
}

TEST(Backoff, ResetStartsAnew) {
  Backoff backoff({.first = 100ms, .most = 1min}, 1);
  for (int i = 0; i < 5; ++i) backoff.Next();
  EXPECT_EQ(backoff.attempts(), 5);
  backoff.Reset();
  EXPECT_EQ(backoff.attempts(), 0);
  EXPECT_LE(backoff.Next(), 100ms);
}

TEST(Backoff, TheSameSeedGivesTheSameDelays) {
  Backoff one({.first = 100ms, .most = 1min}, 7);
  Backoff two({.first = 100ms, .most = 1min}, 7);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(one.Next(), two.Next());
}

TEST(Backoff, NodesDoNotRetryInStep) {
  std::set<std::chrono::milliseconds> delays;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Backoff backoff({.first = 10s, .most = 1min}, seed * 7919);
    delays.insert(backoff.Next());
  }
  EXPECT_GT(delays.size(), 90u);
}

}  // namespace
}  // namespace dra_health

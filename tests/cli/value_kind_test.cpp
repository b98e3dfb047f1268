#include "cli/value_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dra_health {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(ValueKind, ADurationKeepsToItsLimitsAndItsUnit) {
  const auto kind = DurationKind<seconds>(1s, 24h);
  EXPECT_EQ(kind.allowed, "1s to 24h in steps of 1s");
  EXPECT_EQ(kind.parse("1s"), 1s);
  EXPECT_EQ(kind.parse("24h"), 24h);
  EXPECT_THAT(kind.parse("0").error(), HasSubstr("too small"));
  EXPECT_THAT(kind.parse("24h1s").error(), HasSubstr("too large"));
  EXPECT_THAT(kind.parse("1500ms").error(), HasSubstr("no multiple of 1s"));
  EXPECT_THAT(kind.parse("30").error(), HasSubstr("needs a unit"));
  EXPECT_EQ(kind.print(90s), "1m30s");
}

TEST(ValueKind, ACountIsAWholeNumberWithinItsLimits) {
  const auto kind = CountKind(1, 64);
  EXPECT_EQ(kind.allowed, "1 to 64");
  EXPECT_EQ(kind.parse("1"), 1u);
  EXPECT_EQ(kind.parse("64"), 64u);
  for (const char* const text :
       {"0", "65", "-1", "4x", "4.5", "", " 4", "0x10", "99999999999999999999999"}) {
    EXPECT_FALSE(kind.parse(text)) << text;
  }
}

TEST(ValueKind, ASizeShowsItsLimitsAsSizes) {
  const auto kind = SizeKind(64u << 10, 1u << 30);
  EXPECT_EQ(kind.allowed, "64KiB to 1GiB");
  EXPECT_EQ(kind.parse("16MiB"), 16u << 20);
  EXPECT_FALSE(kind.parse("1KiB"));
  EXPECT_FALSE(kind.parse("2GiB"));
}

TEST(ValueKind, APathIsNotEmptyAndHoldsNoNul) {
  const auto kind = PathKind();
  EXPECT_EQ(kind.parse("/var/lib/kubelet"), "/var/lib/kubelet");
  EXPECT_FALSE(kind.parse(""));
  EXPECT_FALSE(kind.parse(std::string("/a\0b", 4)));
}

TEST(ValueKind, ANodeNameIsADnsNameInLowerCase) {
  const auto kind = DnsNameKind(253, Letters::kLowerCase);
  for (const char* const text : {"node-1", "10.0.0.1", "a", "a.b-c.d"}) {
    EXPECT_EQ(kind.parse(text), text);
  }
  for (const char* const text :
       {"", "Node1", "-a", "a-", "a..b", ".a", "a.", "a_b", "a b", "nöde"}) {
    EXPECT_FALSE(kind.parse(text)) << text;
  }
  EXPECT_TRUE(kind.parse(std::string(253, 'a')));
  EXPECT_FALSE(kind.parse(std::string(254, 'a')));
}

TEST(ValueKind, ADriverNameMayHoldCapitals) {
  EXPECT_EQ(DnsNameKind(63, Letters::kAnyCase).parse("GPU.Example.com"), "GPU.Example.com");
}

TEST(ValueKind, WordsStandForValues) {
  const auto kind = WordKind<int>("WORD", {{"one", 1}, {"two", 2}, {"three", 3}});
  EXPECT_EQ(kind.allowed, "one, two or three");
  EXPECT_EQ(kind.parse("two"), 2);
  EXPECT_EQ(kind.print(3), "three");
  EXPECT_FALSE(kind.parse("Two"));
  EXPECT_FALSE(kind.parse(""));
}

}  // namespace
}  // namespace dra_health

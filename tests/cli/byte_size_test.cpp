#include "cli/byte_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace dra_health {
namespace {

using ::testing::HasSubstr;

TEST(ByteSize, ReadsBinaryUnits) {
  EXPECT_EQ(ParseByteSize("0"), 0u);
  EXPECT_EQ(ParseByteSize("512"), 512u);
  EXPECT_EQ(ParseByteSize("64KiB"), 65'536u);
  EXPECT_EQ(ParseByteSize("16MiB"), 16u << 20);
  EXPECT_EQ(ParseByteSize("1GiB"), 1u << 30);
}

TEST(ByteSize, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is no size"},
      {"MiB", "is no size"},
      {"-1", "is no size"},
      {"16MB", "unknown unit"},
      {"16 MiB", "unknown unit"},
      {"1.5MiB", "unknown unit"},
      {"16mib", "unknown unit"},
      {"99999999999999999999", "is too large"},
      {"17179869184GiB", "is too large"},
  };
  for (const auto& [text, what] : cases) {
    const auto parsed = ParseByteSize(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error(), HasSubstr(what)) << text;
  }
}

TEST(ByteSize, PrintsTheLargestUnitThatFits) {
  EXPECT_EQ(FormatByteSize(0), "0");
  EXPECT_EQ(FormatByteSize(1023), "1023");
  EXPECT_EQ(FormatByteSize(1536), "1536");
  EXPECT_EQ(FormatByteSize(2048), "2KiB");
  EXPECT_EQ(FormatByteSize(16u << 20), "16MiB");
  EXPECT_EQ(FormatByteSize(3u << 30), "3GiB");
}

TEST(ByteSize, WhatIsPrintedReadsBackToTheSame) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1025},
                                  std::size_t{5} << 20, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(ParseByteSize(FormatByteSize(bytes)), bytes);
  }
}

}  // namespace
}  // namespace dra_health

#include "cli/table_text.h"

#include <gtest/gtest.h>

#include <clocale>

namespace dra_health {
namespace {

TEST(DisplayWidthTest, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("gpu-0"), 5U);
  EXPECT_EQ(DisplayWidth("Lüfter"), 6U);
  EXPECT_EQ(DisplayWidth("温度"), 4U) << "wide characters take two";
  EXPECT_EQ(DisplayWidth("e\u0301"), 1U) << "a combining accent takes none";
  EXPECT_EQ(DisplayWidth("\uFFFD"), 1U);
}

TEST(DisplayWidthTest, DoesNotDependOnTheUsersLocale) {
  ASSERT_NE(std::setlocale(LC_ALL, "C"), nullptr);
  EXPECT_EQ(DisplayWidth("Lüfter"), 6U);
}

TEST(CutToWidthTest, WhatFitsIsLeftAlone) {
  EXPECT_EQ(CutToWidth("gpu-0", 5), "gpu-0");
  EXPECT_EQ(CutToWidth("温度", 4), "温度");
  EXPECT_EQ(CutToWidth("", 0), "");
}

TEST(CutToWidthTest, EllipsisTakesTheLastColumn) {
  EXPECT_EQ(CutToWidth("gpu-0", 4), "gpu…");
  EXPECT_EQ(CutToWidth("gpu-0", 1), "…");
  EXPECT_EQ(CutToWidth("gpu-0", 0), "");
}

TEST(CutToWidthTest, WideCharacterIsNotHalved) {
  EXPECT_EQ(CutToWidth("温度計", 5), "温度…");
  EXPECT_EQ(CutToWidth("温度計", 4), "温…");
}

TEST(CutToWidthTest, AccentStaysWithItsLetter) {
  EXPECT_EQ(CutToWidth("ae\u0301bc", 3), "ae\u0301…");
}

TEST(CutToWidthTest, ResultNeverExceedsTheWidth) {
  const std::string text = "aü温e\u0301b度";
  for (std::size_t width = 0; width < 10; ++width) {
    EXPECT_LE(DisplayWidth(CutToWidth(text, width)), width);
  }
}

}  // namespace
}  // namespace dra_health

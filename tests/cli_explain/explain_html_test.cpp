#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/explain_page.h"
#include "cli/explain_svg.h"
#include "cli/explain_words.h"
#include "cli/html_text.h"
#include "tests/cache/records.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::SizeIs;

TEST(EscapedTest, MarkupIsText) {
  EXPECT_EQ(Escaped("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
}

TEST(EscapedTest, WhatXmlDoesNotAllowIsReplaced) {
  EXPECT_EQ(Escaped("a\x01z"), "a z");
  EXPECT_EQ(Escaped("a\uFFFEb\uFFFFc\xFF"), "a\uFFFDb\uFFFDc\uFFFD");
  EXPECT_EQ(Escaped("\uFFFD \u00E4"), "\uFFFD \u00E4");
}

TEST(EscapedWithTimesTest, TimesAreMarkedAndNothingElseIs) {
  EXPECT_EQ(EscapedWithTimes("at 2027-01-15T08:00:00Z, <so>"),
            "at <time datetime=\"2027-01-15T08:00:00Z\">2027-01-15T08:00:00Z</time>, &lt;so&gt;");
  EXPECT_EQ(EscapedWithTimes("2027-13-15T08:00:00Z"), "2027-13-15T08:00:00Z");
  EXPECT_EQ(EscapedWithTimes("2027-01-15T08:00:00"), "2027-01-15T08:00:00");
}

TEST(PageTest, StyleAndScriptHoldNoMarkup) {
  for (const std::string text : {kPageStyle, kPageScript}) {
    EXPECT_EQ(text.find_first_of("&<"), std::string::npos);
    EXPECT_THAT(text, Not(HasSubstr("]]>")));
  }
}

TEST(PageTest, EveryStateHasAClassInTheStyleSheetAndWords) {
  std::set<std::string> classes;
  for (int i = 0; i <= static_cast<int>(SpanState::kAway); ++i) {
    const auto state = static_cast<SpanState>(i);
    EXPECT_TRUE(classes.insert(ClassOf(state)).second) << i;
    EXPECT_THAT(kPageStyle, HasSubstr("." + ClassOf(state)));
    EXPECT_FALSE(WordsFor(state).empty());
  }
  for (int i = 0; i <= static_cast<int>(MomentKind::kAgentBack); ++i) {
    EXPECT_FALSE(WordsFor(static_cast<MomentKind>(i)).empty()) << i;
  }
}

TEST(ThinnedTest, FewSpansStayAsTheyAre) {
  const std::vector<Span> spans = {{At(0), At(1), SpanState::kHealthy, "a"},
                                   {At(1), At(2), SpanState::kUnhealthy, "b"}};
  EXPECT_EQ(Thinned(spans, At(0), At(1'000'000)), spans);
}

TEST(ThinnedTest, OfManyInOnePlaceTheWorstStandsAndLongOnesStay) {
  std::vector<Span> spans;
  for (int i = 0; i < 1000; ++i) {
    const auto state = i == 500 ? SpanState::kUnhealthy : SpanState::kHealthy;
    spans.push_back({At(i), At(i + 1), state, ""});
  }
  spans.push_back({At(1000), At(1'000'000), SpanState::kUnknown, "LeaseExpired"});
  EXPECT_THAT(
      Thinned(spans, At(0), At(1'000'000)),
      ElementsAre(Span{At(0), At(1000), SpanState::kUnhealthy, "several states"}, spans.back()));
}

TEST(ThinnedTest, ThereAreNeverMoreThanAPictureHasPlacesFor) {
  std::vector<Span> spans;
  for (int i = 0; i < 100'000; ++i) {
    spans.push_back({At(i), At(i + 1), i % 2 == 0 ? SpanState::kHealthy : SpanState::kUnknown, ""});
  }
  EXPECT_THAT(Thinned(spans, At(0), At(100'000)), SizeIs(Le(1001U)));
}

TEST(SvgTest, AnEmptyFrameIsNoDivisionByZero) {
  Explanation explanation;
  explanation.from = explanation.to = At(5);
  explanation.lanes = {{Lane::Kind::kDevice, "d", "", {{At(5), At(5), SpanState::kHealthy, ""}}}};
  EXPECT_THAT(ToSvg(explanation), HasSubstr("x=\"0.000%\" width=\"0.000%\""));
}

}  // namespace
}  // namespace dra_health

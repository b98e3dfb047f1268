#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dra_health {
namespace {

using namespace std::string_literals;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string Replaced(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += kReplacement;
  return text;
}

TEST(Printable, LeavesGoodTextAlone) {
  for (const std::string text : {"", "ECC errors: 3", "Überhitzt", "温度が高い", "🔥 hot"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, KeepsTheFirstAndTheLastCodePointOfEachLength) {
  for (const std::string text : {"\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80", "\xEF\xBF\xBF",
                                 "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, TurnsControlCharactersIntoSpaces) {
  EXPECT_EQ(Printable("a\nb\tc\x1B[31md\0e\x7F"s
                      "f"),
            "a b c [31md e f");
}

TEST(Printable, TurnsTwoByteC1ControlsIntoSpaces) {
  EXPECT_EQ(Printable("a\xC2\x80z"), "a z");
  EXPECT_EQ(Printable("a\xC2\x9Bz"), "a z");  // CSI: terminals act on it
  EXPECT_EQ(Printable("a\xC2\x9Fz"), "a z");
}

TEST(Printable, TrimsBothEnds) {
  EXPECT_EQ(Printable("  \n too hot \r\n"), "too hot");
  EXPECT_EQ(Printable("\n \0"s), "");
}

TEST(Printable, ReplacesEachByteThatIsNoUtf8) {
  EXPECT_EQ(Printable("a\xFFz"), "a" + Replaced(1) + "z");
  EXPECT_EQ(Printable("a\x80z"), "a" + Replaced(1) + "z");      // a continuation alone
  EXPECT_EQ(Printable("a\xC3z"), "a" + Replaced(1) + "z");      // a lead alone
  EXPECT_EQ(Printable("a\xE2\x82z"), "a" + Replaced(2) + "z");  // a sequence cut short
  EXPECT_EQ(Printable("a\xE2\x82"), "a" + Replaced(2));         // the same at the end
  EXPECT_EQ(Printable("a\xF0\x9F\x94"), "a" + Replaced(3));
  EXPECT_EQ(Printable("a\xF8\x88\x80\x80\x80"), "a" + Replaced(5));  // five bytes were UTF-8 once
}

TEST(Printable, ReplacesOverlongForms) {
  EXPECT_EQ(Printable("\xC0\xAF"), Replaced(2));  // '/'
  EXPECT_EQ(Printable("\xC1\xBF"), Replaced(2));
  EXPECT_EQ(Printable("\xE0\x80\xAF"), Replaced(3));
  EXPECT_EQ(Printable("\xE0\x9F\xBF"), Replaced(3));
  EXPECT_EQ(Printable("\xF0\x8F\xBF\xBF"), Replaced(4));
}

TEST(Printable, ReplacesSurrogatesAndWhatIsBeyondUnicode) {
  EXPECT_EQ(Printable("\xED\xA0\x80"), Replaced(3));
  EXPECT_EQ(Printable("\xED\xBF\xBF"), Replaced(3));
  EXPECT_EQ(Printable("\xF4\x90\x80\x80"), Replaced(4));
  EXPECT_EQ(Printable("\xED\x9F\xBF"), "\xED\x9F\xBF");  // the last before them
}

TEST(Printable, ChangesNothingTheSecondTime) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string once = Printable(all + all);
  EXPECT_EQ(Printable(once), once);
}

TEST(CutBytes, LeavesWhatFits) {
  EXPECT_EQ(CutBytes("", 3), "");
  EXPECT_EQ(CutBytes("abcdef", 6), "abcdef");
}

TEST(CutBytes, MarksTheCut) {
  EXPECT_EQ(CutBytes("abcdefg", 6), "abc...");
  EXPECT_EQ(CutBytes("abcd", 3), "...");
}

TEST(CutBytes, NeverCutsInsideASequence) {
  const std::string text = "aé€🔥ZZZZZZZZZZZZ";  // 1, 2, 3 and 4 bytes
  EXPECT_EQ(CutBytes(text, 4), "a...");
  EXPECT_EQ(CutBytes(text, 5), "a...");
  EXPECT_EQ(CutBytes(text, 6), "aé...");
  EXPECT_EQ(CutBytes(text, 8), "aé...");
  EXPECT_EQ(CutBytes(text, 9), "aé€...");
  EXPECT_EQ(CutBytes(text, 12), "aé€...");
  EXPECT_EQ(CutBytes(text, 13), "aé€🔥...");
}

TEST(CutBytes, StaysWithinTheLimitForEveryLimit) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "aé€🔥";
  for (std::size_t limit = 3; limit < text.size(); ++limit) {
    const std::string cut = CutBytes(text, limit);
    EXPECT_LE(cut.size(), limit);
    EXPECT_GT(cut.size() + 4, limit);  // and wastes less than one sequence
    EXPECT_EQ(Printable(cut), cut);    // what is left is valid
  }
}

}  // namespace
}  // namespace dra_health

#include "cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/table_text.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Printed(const Table& table, const Terminal& terminal = {}) {
  std::ostringstream out;
  table.Print(out, terminal);
  return out.str();
}

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, DisplayWidth(line));
  }
  return widest;
}

Table Devices() {
  Table table({{"DEVICE"}, {"HEALTH"}, {"MESSAGE", Table::Cut::kFirst}});
  table.Add({{"gpu-0"}, {"Healthy", Colour::kGreen}, {"-"}});
  table.Add({{"温度-1"}, {"Unhealthy", Colour::kRed}, {"Xid 79: fallen off the bus"}});
  return table;
}

TEST(TableTest, ColumnsAreAlignedByDisplayWidthAndNothingTrails) {
  EXPECT_EQ(Printed(Devices()),
            "DEVICE  HEALTH     MESSAGE\n"
            "gpu-0   Healthy    -\n"
            "温度-1  Unhealthy  Xid 79: fallen off the bus\n");
}

TEST(TableTest, FitsTheTerminalByCuttingWhatMayBeCutFirst) {
  EXPECT_EQ(Printed(Devices(), {.width = 32}),
            "DEVICE  HEALTH     MESSAGE\n"
            "gpu-0   Healthy    -\n"
            "温度-1  Unhealthy  Xid 79: fall…\n");
}

TEST(TableTest, NarrowTerminalCutsTheOthersToo) {
  const std::string text = Printed(Devices(), {.width = 20});
  EXPECT_LE(WidestLine(text), 20U);
  EXPECT_THAT(text, HasSubstr("Unh"));
}

TEST(TableTest, EveryWidthIsKeptAsLongAsColumnsCanSayAnything) {
  for (std::size_t width = 16; width < 80; ++width) {
    EXPECT_LE(WidestLine(Printed(Devices(), {.width = width})), width);
  }
}

TEST(TableTest, HopelessTerminalStillGetsEveryColumn) {
  EXPECT_THAT(Printed(Devices(), {.width = 3}), HasSubstr("DEV…"));
}

TEST(TableTest, WidestOfTheColumnsThatGiveWayIsCutFirst) {
  Table table({{"A", Table::Cut::kFirst}, {"B", Table::Cut::kFirst}});
  table.Add({{std::string(30, 'a')}, {std::string(12, 'b')}});
  const std::string text = Printed(table, {.width = 30});
  EXPECT_THAT(text, HasSubstr(std::string(12, 'b')));
  EXPECT_THAT(text, HasSubstr(std::string(15, 'a') + "…"));
}

TEST(TableTest, ColourSurroundsTheTextOnly) {
  const std::string text = Printed(Devices(), {.colour = true});
  EXPECT_THAT(text, HasSubstr("gpu-0   \x1b[32mHealthy\x1b[0m    -\n"));
  EXPECT_THAT(text, HasSubstr("\x1b[31mUnhealthy\x1b[0m  Xid"));
}

TEST(TableTest, NoColourWithoutBeingAskedFor) {
  EXPECT_THAT(Printed(Devices()), Not(HasSubstr("\x1b")));
}

TEST(TableTest, ControlCharactersOfADriverDoNotReachTheTerminal) {
  Table table({{"MESSAGE"}});
  table.Add({{"red\x1b[31m\nnext\xFF"}});
  EXPECT_EQ(Printed(table), "MESSAGE\nred [31m next\uFFFD\n");
}

TEST(TableTest, WideColumnsAreLeftOutUnlessAskedFor) {
  const std::vector<ColumnOf<int>> columns = {
      {{"N"}, false, [](const int& n) { return Cell{std::to_string(n)}; }},
      {{"DOUBLE"}, true, [](const int& n) { return Cell{std::to_string(2 * n)}; }},
  };
  EXPECT_EQ(Printed(MakeTable<int>(columns, {1, 2}, false)), "N\n1\n2\n");
  EXPECT_EQ(Printed(MakeTable<int>(columns, {1, 2}, true)), "N  DOUBLE\n1  2\n2  4\n");
}

}  // namespace
}  // namespace dra_health

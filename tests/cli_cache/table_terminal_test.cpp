#include "cli/table_terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <map>
#include <string>

#include "base/unique_fd.h"

namespace dra_health {
namespace {

using Variables = std::map<std::string, std::string>;

Terminal Detect(int file, const Variables& variables) {
  return DetectTerminal(file, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

// A terminal of 123 columns.
class TerminalTest : public testing::Test {
 protected:
  void SetUp() override {
    master_ = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!master_ || ::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0) {
      GTEST_SKIP() << "no pseudo-terminal to be had here";
    }
    terminal_ = UniqueFd(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    ASSERT_TRUE(terminal_);
    SetWidth(123);
  }

  void SetWidth(unsigned short width) {
    winsize size{};
    size.ws_col = width;
    ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  }

  Terminal Detected(const Variables& variables) { return Detect(terminal_.get(), variables); }

  UniqueFd master_;
  UniqueFd terminal_;
};

TEST_F(TerminalTest, TellsItsWidthAndShowsColour) {
  const Terminal terminal = Detected({{"TERM", "xterm"}});
  EXPECT_EQ(terminal.width, 123U);
  EXPECT_TRUE(terminal.colour);
}

TEST_F(TerminalTest, ColumnsVariableGoesFirstIfItIsANumber) {
  EXPECT_EQ(Detected({{"COLUMNS", "77"}}).width, 77U);
  for (const char* nonsense : {"", "0", "-5", "wide", "80x"}) {
    EXPECT_EQ(Detected({{"COLUMNS", nonsense}}).width, 123U) << nonsense;
  }
}

TEST_F(TerminalTest, UnknownWidthCutsNothing) {
  SetWidth(0);
  EXPECT_EQ(Detected({}).width, std::nullopt);
}

TEST_F(TerminalTest, NoColourVariableTurnsColourOffUnlessItIsEmpty) {
  EXPECT_FALSE(Detected({{"TERM", "xterm"}, {"NO_COLOR", "1"}}).colour);
  EXPECT_TRUE(Detected({{"TERM", "xterm"}, {"NO_COLOR", ""}}).colour);
}

TEST_F(TerminalTest, DumbTerminalGetsNoColour) {
  EXPECT_FALSE(Detected({{"TERM", "dumb"}}).colour);
  EXPECT_FALSE(Detected({}).colour);
}

TEST(NoTerminalTest, PipeIsNeitherCutNorColoured) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  const Terminal terminal = Detect(write_end.get(), {{"COLUMNS", "40"}, {"TERM", "xterm"}});
  EXPECT_EQ(terminal.width, std::nullopt);
  EXPECT_FALSE(terminal.colour);
}

}  // namespace
}  // namespace dra_health

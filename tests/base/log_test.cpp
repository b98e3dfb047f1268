#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace dra_health {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A pipe in the place of standard error.
class PipedStderr {
 public:
  PipedStderr() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    read_ = UniqueFd(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    ::fcntl(STDERR_FILENO, F_SETFL, 0);  // writing blocks, as it does for a process in a pipeline
  }
  ~PipedStderr() { ::dup2(before_.get(), STDERR_FILENO); }
  PipedStderr(const PipedStderr&) = delete;
  PipedStderr& operator=(const PipedStderr&) = delete;

  std::string ReadAll() const {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
      const ssize_t size = ::read(read_.get(), part.data(), part.size());
      if (size <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  UniqueFd before_{::dup(STDERR_FILENO)};
  UniqueFd read_;
};

std::string Logged(std::string_view format, spdlog::level::level_enum level,
                   const std::string& text) {
  ::testing::internal::CaptureStderr();
  SetUpLogging(spdlog::level::info, format);
  spdlog::log(level, text);
  spdlog::default_logger()->flush();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, TextLinesBeginWithTheTimeInUtcAndTheLevel) {
  EXPECT_THAT(Logged("text", spdlog::level::warn, "driver is silent"),
              MatchesRegex("....-..-..T..:..:..[.]...Z warning driver is silent\n"));
}

TEST(Log, JsonLinesEscapeTheMessage) {
  EXPECT_THAT(Logged("json", spdlog::level::info, "a \"b\" \\ c\nd"),
              MatchesRegex("[{]\"time\":\"....-..-..T..:..:..[.]...Z\",\"level\":\"info\","
                           "\"message\":\"a \\\\\"b\\\\\" \\\\\\\\ c d\"[}]\n"));
}

TEST(Log, LeavesOutWhatIsLessSevereThanTheLevel) {
  EXPECT_EQ(Logged("text", spdlog::level::debug, "noise"), "");
}

TEST(Log, ThatNobodyReadsHoldsNothingUpAndSaysLaterWhatWasLost) {
  const PipedStderr pipe;
  SetUpLogging(spdlog::level::info, "text");
  const int more_than_a_pipe_holds = 20'000;
  for (int i = 0; i < more_than_a_pipe_holds; ++i) spdlog::info("line {}", i);
  const std::string kept = pipe.ReadAll();
  const auto lines = std::ranges::count(kept, '\n');
  EXPECT_THAT(kept, EndsWith("\n")) << "no line is cut";
  ASSERT_LT(lines, more_than_a_pipe_holds);

  spdlog::info("read again");
  const std::string after = pipe.ReadAll();
  EXPECT_THAT(after, HasSubstr("warning " + std::to_string(more_than_a_pipe_holds - lines) +
                               " lines of this log are lost"));
  EXPECT_THAT(after, EndsWith(" info read again\n"));
}

}  // namespace
}  // namespace dra_health

#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <string>
#include <string_view>

namespace dra_health {
namespace {

using ::testing::MatchesRegex;

// SetUpLogging names its logger in spdlog's registry, once a process: each test clears it.
std::string Logged(std::string_view format, spdlog::level::level_enum level,
                   const std::string& text) {
  spdlog::drop_all();
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

}  // namespace
}  // namespace dra_health

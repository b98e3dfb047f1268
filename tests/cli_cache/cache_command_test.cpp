#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CacheCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("DRA_HEALTH_STORE");
    ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(Writes{Device(Gpu("gpu-0"), Health::kHealthy)})));
  }
  void TearDown() override { ::unsetenv("DRA_HEALTH_STORE"); }

  // Runs it as the program would; the exit code stays as it was where CLI11 finds fault.
  std::string Run(std::vector<std::string> arguments) {
    CLI::App app("program");
    AddCacheCommand(app, exit_code_);
    arguments.insert(arguments.begin(), "cache");
    std::ranges::reverse(arguments);  // as CLI11 wants them
    fault_.clear();
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    try {
      app.parse(arguments);
    } catch (const CLI::CallForHelp&) {
      return testing::internal::GetCapturedStdout() + app.help("", CLI::AppFormatMode::Normal);
    } catch (const CLI::ParseError& error) {
      fault_ = error.what();
    }
    err_ = testing::internal::GetCapturedStderr();
    return testing::internal::GetCapturedStdout();
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
  int exit_code_ = -1;
  std::string err_;
  std::string fault_;
};

TEST_F(CacheCommandTest, EveryTopicReadsTheStoreItIsGiven) {
  for (const char* topic : {"devices", "drivers", "pods", "transitions", "info", "export"}) {
    exit_code_ = -1;
    Run({topic, "--store", path_.string()});
    EXPECT_EQ(exit_code_, kExitOk) << topic << fault_ << err_;
  }
}

TEST_F(CacheCommandTest, StoreMayComeFromTheEnvironmentAndTheFlagGoesFirst) {
  ::setenv("DRA_HEALTH_STORE", path_.c_str(), 1);
  EXPECT_THAT(Run({"devices"}), HasSubstr("gpu-0"));
  Run({"devices", "--store", folder_ / "missing.db"});
  EXPECT_EQ(exit_code_, kExitStoreUnreadable);
}

TEST_F(CacheCommandTest, FormatHasAShortFlag) {
  EXPECT_THAT(Run({"devices", "--store", path_.string(), "-o", "json"}), HasSubstr("\"gpu-0\""));
}

TEST_F(CacheCommandTest, WrongValueNamesOptionValueAndWhatIsAllowed) {
  Run({"devices", "--store", path_.string(), "--health", "sick"});
  EXPECT_THAT(fault_, AllOf(HasSubstr("--health"), HasSubstr("'sick'"),
                            HasSubstr("Healthy, Unhealthy or Unknown")));
  EXPECT_EQ(exit_code_, -1) << "the store was not read";
}

TEST_F(CacheCommandTest, MisspeltTopicIsNamed) {
  Run({"devcies"});
  EXPECT_THAT(fault_, HasSubstr("devcies"));
}

TEST_F(CacheCommandTest, MissingTopicIsAFault) {
  Run({});
  EXPECT_THAT(fault_, HasSubstr("required"));
}

TEST_F(CacheCommandTest, FilterThatMeansNothingToATopicIsAFault) {
  Run({"info", "--store", path_.string(), "--pod", "train-0"});
  EXPECT_THAT(fault_, HasSubstr("--pod"));
}

}  // namespace
}  // namespace dra_health

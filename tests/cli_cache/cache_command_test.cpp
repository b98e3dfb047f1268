#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "cli/exit_codes.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/records.h"
#include "tests/support/program.h"
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

  std::string Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cache");
    Outcome outcome = RunProgram(std::move(arguments));
    exit_code_ = outcome.exit_code;
    err_ = std::move(outcome.err);
    return std::move(outcome.out);
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
  int exit_code_ = 0;
  std::string err_;
};

TEST_F(CacheCommandTest, EveryTopicReadsTheStoreItIsGiven) {
  for (const char* topic : {"devices", "drivers", "pods", "transitions", "info", "export"}) {
    Run({topic, "--store", path_.string()});
    EXPECT_EQ(exit_code_, kExitOk) << topic << err_;
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
  EXPECT_THAT(err_, AllOf(HasSubstr("--health"), HasSubstr("'sick'"),
                          HasSubstr("Healthy, Unhealthy or Unknown")));
  EXPECT_EQ(exit_code_, kExitUsage);
}

TEST_F(CacheCommandTest, MisspeltTopicIsNamed) {
  Run({"devcies"});
  EXPECT_THAT(err_, HasSubstr("devcies"));
}

TEST_F(CacheCommandTest, MissingTopicIsAFault) {
  Run({});
  EXPECT_THAT(err_, HasSubstr("required"));
}

TEST_F(CacheCommandTest, FilterThatMeansNothingToATopicIsAFault) {
  Run({"info", "--store", path_.string(), "--pod", "train-0"});
  EXPECT_THAT(err_, HasSubstr("--pod"));
}

}  // namespace
}  // namespace dra_health

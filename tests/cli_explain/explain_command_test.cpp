#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "cli/exit_codes.h"
#include "cli/explain_request.h"
#include "cli/explain_text.h"
#include "tests/cache/opened_store.h"
#include "tests/cli_explain/stored.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ExplainCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(FailedPod())));
    ::setenv("DRA_HEALTH_STORE", path_.c_str(), 1);
  }
  void TearDown() override { ::unsetenv("DRA_HEALTH_STORE"); }

  std::string Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "explain");
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

TEST_F(ExplainCommandTest, ExplainsAPodAndADeviceOfTheStoreInTheEnvironment) {
  EXPECT_THAT(Run({"pod", "jobs/train-0"}), HasSubstr("12 s before container train"));
  EXPECT_EQ(exit_code_, kExitOk);
  EXPECT_THAT(Run({"pod", "jobs/train-0", "--uid", "uid-1"}), HasSubstr("uid-1"));
  EXPECT_THAT(Run({"device", "gpu.example.com/node-1/gpu-0", "-o", "json"}),
              HasSubstr("\"finding\": \"Device\""));
  Run({"device", "nic.example.com/rack/7/port", "--pool", "rack"});
  EXPECT_EQ(exit_code_, kExitOk);
}

TEST_F(ExplainCommandTest, TheFlagForTheStoreGoesBeforeTheEnvironment) {
  Run({"pod", "jobs/train-0", "--store", folder_ / "missing.db"});
  EXPECT_EQ(exit_code_, kExitStoreUnreadable);
}

TEST_F(ExplainCommandTest, AnUnknownPodHasItsExitCode) {
  Run({"pod", "jobs/other"});
  EXPECT_EQ(exit_code_, kExitNotFound);
}

TEST_F(ExplainCommandTest, WrongValuesAreNamedWithWhatIsAllowed) {
  for (const char* pod : {"train-0", "/train-0", "jobs/", "a/b/c"}) {
    Run({"pod", pod});
    EXPECT_THAT(err_, AllOf(HasSubstr("POD"), HasSubstr(std::string("'") + pod + "' is no pod"),
                            HasSubstr("allowed: NAMESPACE/NAME")));
  }
  Run({"pod", "jobs/train-0", "-o", "yaml"});
  EXPECT_THAT(err_, AllOf(HasSubstr("--output"), HasSubstr("'yaml'"), HasSubstr("allowed: text")));
  Run({"device", ""});
  EXPECT_THAT(err_, HasSubstr("DEVICE"));
  EXPECT_EQ(exit_code_, kExitUsage);
}

TEST_F(ExplainCommandTest, WhatIsMissingOrMisspeltIsNamed) {
  Run({});
  EXPECT_THAT(err_, HasSubstr("required"));
  Run({"pod"});
  EXPECT_THAT(err_, HasSubstr("POD is required"));
  Run({"pood", "jobs/train-0"});
  EXPECT_THAT(err_, HasSubstr("pood"));
  Run({"device", "gpu-0", "--uid", "uid-1"});
  EXPECT_THAT(err_, HasSubstr("--uid"));
}

TEST(WrappedTest, BreaksBetweenWordsAndIndents) {
  EXPECT_EQ(Wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(Wrapped("one two three", std::nullopt, 2), "one two three");
  EXPECT_EQ(Wrapped("incomprehensibilities are long", 8, 0), "incomprehensibilities\nare long");
  EXPECT_EQ(Wrapped("a\nb\x1b[1m", 80, 0), "a b [1m") << "it is made printable";
  EXPECT_EQ(Wrapped("key    value and more", 16, 7), "key    value and\n       more");
  EXPECT_EQ(Wrapped("", 8, 2), "");
}

}  // namespace
}  // namespace dra_health

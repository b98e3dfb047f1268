#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Main, HelpIsNoError) {
  for (const auto& arguments : {std::vector<std::string>{"--help"}, {"run", "--help"}}) {
    const Outcome outcome = RunProgram(arguments);
    EXPECT_EQ(outcome.exit_code, kExitOk);
    EXPECT_THAT(outcome.out, HasSubstr("Usage: "));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST(Main, OutputThatIsNotTakenIsAFailure) {
  for (const char* command : {"version", "--help"}) {
    std::cout.setstate(std::ios::badbit);
    const Outcome outcome = RunProgram({command});
    std::cout.clear();
    EXPECT_EQ(outcome.exit_code, kExitFailure);
    EXPECT_THAT(outcome.err, HasSubstr("could not be written"));
  }
}

TEST(Main, RunHelpShowsLimitsDefaultsAndVariables) {
  EXPECT_THAT(RunProgram({"run", "--help"}).out,
              AllOf(HasSubstr("--default-lease DURATION"), HasSubstr("1s to 24h"),
                    HasSubstr("Default: 30s"), HasSubstr("DRA_HEALTH_DEFAULT_LEASE")));
}

TEST(Main, WithoutACommandItShowsThemAndFails) {
  const Outcome outcome = RunProgram({});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("version"));
}

TEST(Main, TheDemoLeavesAFolderAloneThatIsNotEmpty) {
  const TempFolder folder;
  folder.Write("mine.txt", "text");
  const Outcome outcome = RunProgram({"demo", "--keep", folder.path().string()});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--keep"), HasSubstr(folder.path().string()),
                                 HasSubstr("allowed: a new or an empty folder")));
}

TEST(Main, NamesAnUnknownCommand) {
  const Outcome outcome = RunProgram({"runn"});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("runn"));
}

TEST(Main, SuggestsTheFlagThatATypoMeant) {
  const Outcome outcome = RunProgram({"run", "--node-nmae=x"});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean '--node-name'?"));
}

TEST(Main, RefusesAStrayArgument) {
  const Outcome outcome = RunProgram({"run", "--node-name=n", "stray"});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("stray: is unknown"));
}

TEST(Main, RefusesAFlagWithoutItsValueOrGivenTwice) {
  EXPECT_EQ(RunProgram({"run", "--node-name"}).exit_code, kExitUsage);
  EXPECT_EQ(RunProgram({"run", "--node-name=a", "--node-name=b"}).exit_code, kExitUsage);
}

TEST(Main, ASwitchTakesOnlyTrueOrFalse) {
  const Outcome outcome = RunProgram({"run", "--node-name=n", "--dry-run=maybe"});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("--dry-run: 'maybe' is none of the words"));
}

TEST(Main, AWrongConfigurationIsRefusedBeforeAnythingIsTouched) {
  const TempFolder folder;
  const auto config = folder.Write("config.yaml", "nodeName: n\nretention: 1s\n");
  const auto store = folder.path() / "made" / "health.db";
  const Outcome outcome =
      RunProgram({"run", "--config=" + config.string(), "--store=" + store.string()});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_EQ(outcome.err, config.string() +
                             ":2: key 'retention': '1s' is too small; allowed: 1h to 87840h in "
                             "steps of 1h\n");
  EXPECT_FALSE(std::filesystem::exists(store.parent_path()));
}

TEST(Main, WhatItQuotesCannotReachTheTerminalAsControlCharacters) {
  EXPECT_EQ(RunProgram({"run", "--node-name=\x1B[31mred"}).err,
            "--node-name: ' [31mred' is no DNS name; allowed: a DNS name of at most 253 "
            "characters: a-z, 0-9, '-' and '.'\n");
}

TEST(Main, VersionNamesTheCommitAndTheLibraries) {
  const Outcome outcome = RunProgram({"version"});
  EXPECT_EQ(outcome.exit_code, kExitOk);
  for (const char* const word : {"dra-health-agent ", "commit ", "gRPC ", "protobuf ",
                                 "cpprestsdk ", "SQLite ", "OpenSSL "}) {
    EXPECT_THAT(outcome.out, HasSubstr(word));
  }
}

}  // namespace
}  // namespace dra_health

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "cli/option_help.h"
#include "cli/option_table.h"

namespace dra_health {
namespace {

using ::testing::HasSubstr;

std::string Page() {
  const std::ifstream file(DRA_HEALTH_REFERENCE_PAGE);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ReferencePage, HoldsTheTablesThatTheProgramPrints) {
  EXPECT_THAT(Page(), HasSubstr(ReferenceTables()))
      << "Put what `dra-health-agent run --help-markdown` prints into docs/reference.md.";
}

TEST(ReferencePage, TheTablesNameEveryOption) {
  const std::string tables = ReferenceTables();
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      EXPECT_THAT(tables, HasSubstr("`" + FlagName(setting.name) + "`"));
      EXPECT_THAT(tables, HasSubstr("`" + EnvironmentName(setting) + "`"));
    }
  }
  for (const auto& setting : DriverOptionTable()) {
    EXPECT_THAT(tables, HasSubstr("`" + KeyName(setting.name) + "`"));
  }
}

TEST(HelpText, TellsMeaningLimitsDefaultAndVariable) {
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      if (setting.name != "default-lease") continue;
      EXPECT_EQ(HelpText(setting),
                "How long a report holds where the driver sets no health check timeout.\n"
                "Allowed: 1s to 24h in steps of 1s. Default: 30s.\n"
                "Environment: DRA_HEALTH_DEFAULT_LEASE.");
      return;
    }
  }
  FAIL() << "no such option";
}

}  // namespace
}  // namespace dra_health

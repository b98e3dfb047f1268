#include "cli/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ConfigFile : public ::testing::Test {
 protected:
  Problems Apply(std::string_view text) {
    folder_.Write("config.yaml", text);
    return ApplyConfigFile(file_, options_);
  }
  // "FILE:LINE: " and what follows it.
  std::string At(int line, const std::string& rest = "") const {
    return file_ + ":" + std::to_string(line) + ": " + rest;
  }

  TempFolder folder_;
  RunOptions options_;
  const std::string file_ = folder_.path() / "config.yaml";
};

TEST_F(ConfigFile, SetsWhatItNamesAndLeavesTheRest) {
  EXPECT_THAT(Apply("# comment\nnodeName: node-1\nmaxReportBytes: 1MiB\ndryRun: true\n"),
              IsEmpty());
  EXPECT_EQ(options_.agent.api.node_name, "node-1");
  EXPECT_EQ(options_.agent.discovery.max_report_bytes, 1u << 20);
  EXPECT_TRUE(options_.agent.settings.dry_run);
  EXPECT_EQ(options_.agent.settings.default_lease, 30s);
}

TEST_F(ConfigFile, QuotesMakeNoDifference) {
  EXPECT_THAT(Apply("defaultLease: \"45s\"\napiConnections: '8'\n"), IsEmpty());
  EXPECT_EQ(options_.agent.settings.default_lease, 45s);
  EXPECT_EQ(options_.agent.api.workers, 8u);
}

TEST_F(ConfigFile, SetsEachDriverByItself) {
  EXPECT_THAT(Apply("drivers:\n"
                    "  gpu.example.com: {health: off}\n"
                    "  nic.example.com:\n"
                    "    lease: 60s\n"
                    "    probe: true\n"),
              IsEmpty());
  const Settings& settings = options_.agent.settings;
  EXPECT_FALSE(settings.ForDriver("gpu.example.com").watch);
  EXPECT_FALSE(settings.ForDriver("gpu.example.com").lease);
  EXPECT_TRUE(settings.ForDriver("nic.example.com").watch);
  EXPECT_EQ(settings.ForDriver("nic.example.com").lease, 60s);
  EXPECT_TRUE(settings.ForDriver("nic.example.com").probe);
  EXPECT_TRUE(settings.ForDriver("other.example.com").watch);
}

TEST_F(ConfigFile, NamesTheLineOfAnImpossibleValueAndWhatIsAllowed) {
  EXPECT_THAT(Apply("nodeName: node-1\n\ndefaultLease: 5\n"),
              ElementsAre(At(3,
                             "key 'defaultLease': '5' needs a unit: h, m, s, ms, us or ns; "
                             "allowed: 1s to 24h in steps of 1s")));
}

TEST_F(ConfigFile, SuggestsTheKeyThatATypoMeant) {
  EXPECT_THAT(Apply("defualtLease: 5s\n"),
              ElementsAre(AllOf(
                  StartsWith(At(1, "key 'defualtLease': is unknown, did you mean 'defaultLease'?")),
                  HasSubstr("; allowed: "), HasSubstr("drivers"))));
}

TEST_F(ConfigFile, SuggestsNothingForAnUnknownKeyLikeNoOther) {
  EXPECT_THAT(Apply("colour: red\n"),
              ElementsAre(StartsWith(At(1, "key 'colour': is unknown; allowed: "))));
}

TEST_F(ConfigFile, CannotNameItself) {
  EXPECT_THAT(Apply("config: other.yaml\n"),
              ElementsAre(StartsWith(At(1, "key 'config': is unknown"))));
}

TEST_F(ConfigFile, ReportsEveryMistakeAtOnce) {
  EXPECT_THAT(Apply("nodeName: Node_1\n"
                    "apiConnections: 0\n"
                    "drivers:\n"
                    "  gpu.example.com:\n"
                    "    health: poll\n"
                    "    leas: 60s\n"),
              ElementsAre(StartsWith(At(1, "key 'nodeName': 'Node_1' is no DNS name")),
                          StartsWith(At(2, "key 'apiConnections': '0' is too small")),
                          At(5,
                             "key 'drivers.gpu.example.com.health': 'poll' is none of the "
                             "words for it; allowed: watch or off"),
                          At(6,
                             "key 'drivers.gpu.example.com.leas': is unknown, did you mean "
                             "'lease'?; allowed: health, lease or probe")));
}

TEST_F(ConfigFile, RefusesAKeyThatIsThereTwice) {
  EXPECT_THAT(Apply("store: a.db\nnodeName: n\nstore: b.db\n"),
              ElementsAre(At(3, "key 'store': is there twice; allowed: each key once")));
  EXPECT_THAT(Apply("drivers:\n  a: {probe: true}\n  a: {probe: false}\n"),
              ElementsAre(StartsWith(At(3, "key 'drivers.a': is there twice"))));
}

TEST_F(ConfigFile, RefusesValuesOfTheWrongShape) {
  EXPECT_THAT(Apply("store: [a, b]\n"),
              ElementsAre(At(1, "key 'store': is no single value; allowed: a path, not empty")));
  EXPECT_THAT(Apply("store: {a: b}\n"), ElementsAre(HasSubstr("is no single value")));
  EXPECT_THAT(Apply("store:\n"), ElementsAre(HasSubstr("has no value")));
  EXPECT_THAT(Apply("store: ''\n"), ElementsAre(HasSubstr("is empty")));
  EXPECT_THAT(Apply("drivers: off\n"), ElementsAre(HasSubstr("key 'drivers': is no map")));
  EXPECT_THAT(Apply("drivers: [a]\n"), ElementsAre(HasSubstr("key 'drivers': is no map")));
  EXPECT_THAT(Apply("drivers:\n  a: off\n"), ElementsAre(HasSubstr("key 'drivers.a': is no map")));
  EXPECT_THAT(Apply("? [a, b]\n: c\n"), ElementsAre(StartsWith(At(1, "a key is no plain word"))));
}

TEST_F(ConfigFile, RefusesADriverNameThatNoDriverCanHave) {
  EXPECT_THAT(
      Apply("drivers:\n  gpu_a: {probe: true}\n"),
      ElementsAre(HasSubstr("as a driver's name 'gpu_a' is no DNS name; allowed: a DNS name "
                            "of at most 63 characters")));
}

TEST_F(ConfigFile, RefusesAFileThatIsNoMap) {
  EXPECT_THAT(Apply("- a\n"), ElementsAre(StartsWith(At(1, "the file is no map of keys"))));
  EXPECT_THAT(Apply("word\n"), ElementsAre(StartsWith(At(1, "the file is no map of keys"))));
}

TEST_F(ConfigFile, RefusesAFileThatSaysNothing) {
  for (const char* const text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    EXPECT_THAT(Apply(text), ElementsAre(StartsWith(At(1, "the file says nothing")))) << text;
  }
}

TEST_F(ConfigFile, RefusesASecondDocument) {
  EXPECT_THAT(Apply("nodeName: a\n---\nnodeName: b\n"),
              ElementsAre(HasSubstr("several documents")));
}

TEST_F(ConfigFile, NamesTheLineOfATab) {
  EXPECT_THAT(Apply("drivers:\n\tgpu.example.com: {probe: true}\n"),
              ElementsAre(At(2, "a tab indents this line; allowed: spaces")));
}

TEST_F(ConfigFile, NamesTheLineOfASyntaxError) {
  EXPECT_THAT(Apply("nodeName: node-1\nstore: [a\n"),
              ElementsAre(AllOf(StartsWith(file_ + ":"), HasSubstr("the file is no YAML: "),
                                EndsWith("; allowed: YAML"))));
  EXPECT_THAT(Apply("nodeName: *nobody\n"), ElementsAre(StartsWith(At(1, "the file is no YAML"))));
}

TEST_F(ConfigFile, MessagesArePrintableWhateverTheyQuote) {
  EXPECT_THAT(Apply("nodeName: \"a\\n\\e[31m\"\n\xff: 1\n"),
              ElementsAre(StartsWith(At(1, "key 'nodeName': 'a  [31m' is no DNS name")),
                          StartsWith(At(2, "key '\xEF\xBF\xBD': is unknown"))));
}

TEST_F(ConfigFile, EndsWhereTheYamlParserFindsDocumentsWithoutEnd) {
  EXPECT_THAT(Apply(",]("), ElementsAre(StartsWith(At(1, "the file says nothing"))));
}

TEST_F(ConfigFile, SaysWhyItCannotBeRead) {
  const auto missing = folder_.path() / "missing.yaml";
  EXPECT_THAT(ApplyConfigFile(missing, options_),
              ElementsAre(missing.string() + ": cannot be read: No such file or directory"));
  EXPECT_THAT(ApplyConfigFile(folder_.path(), options_),
              ElementsAre(folder_.path().string() + ": cannot be read: Is a directory"));
}

TEST_F(ConfigFile, RefusesAHugeFileWithoutReadingItAll) {
  EXPECT_THAT(ApplyConfigFile("/dev/zero", options_),
              ElementsAre("/dev/zero: is larger than 1MiB"));
}

}  // namespace
}  // namespace dra_health

#include "cli/json_to_yaml.h"

#include <gtest/gtest.h>

namespace dra_health {
namespace {

TEST(JsonToYaml, WordsThatYamlTakesForOtherThanTextAreQuoted) {
  EXPECT_EQ(JsonToYaml(R"({"a": "True", "b": true, "c": "1", "d": 1})"),
            "a: \"True\"\nb: true\nc: \"1\"\nd: 1\n");
}

TEST(JsonToYaml, MarksOfDocumentsAreQuoted) {
  EXPECT_EQ(JsonToYaml(R"("...")"), "\"...\"\n");
  EXPECT_EQ(JsonToYaml(R"("--- a")"), "\"--- a\"\n");
}

TEST(JsonToYaml, ControlCharactersAreQuoted) {
  EXPECT_EQ(JsonToYaml(R"({"a": "SS\r"})"), "a: \"SS\\r\"\n");
}

TEST(JsonToYaml, NullIsNotTheWordForIt) {
  EXPECT_EQ(JsonToYaml(R"([null, "null"])"), "- ~\n- \"null\"\n");
}

}  // namespace
}  // namespace dra_health

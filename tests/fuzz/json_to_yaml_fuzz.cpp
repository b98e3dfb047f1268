// JSON written as YAML is read as the same values.
#include <string>

#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>

#include "cli/json_to_yaml.h"
#include "patcher/json_node.h"
#include "tests/fuzz/fuzz.h"

namespace dra_health {
namespace {

using nlohmann::json;

bool SameScalar(const json& value, const YAML::Node& node) {
  if (value.is_null()) return node.IsNull();
  if (!node.IsScalar()) return false;
  const bool quoted = node.Tag() == "!";
  if (value.is_string()) return node.Scalar() == value.get<std::string>();
  return !quoted && node.Scalar() == value.dump();
}

bool Same(const json& value, const YAML::Node& node) {
  if (value.is_object()) {
    if (!node.IsMap() || node.size() != value.size()) return false;
    auto member = value.begin();
    for (const auto& entry : node) {
      if (entry.first.Scalar() != member.key() || !Same(*member, entry.second)) return false;
      ++member;
    }
    return true;
  }
  if (value.is_array()) {
    if (!node.IsSequence() || node.size() != value.size()) return false;
    std::size_t i = 0;
    for (const auto& item : node) {
      if (!Same(value[i++], item)) return false;
    }
    return true;
  }
  return SameScalar(value, node);
}

}  // namespace

void FuzzOne(std::string_view input) {
  const json value = ParseJson(input);
  if (value.is_discarded()) return;
  const std::string yaml = JsonToYaml(value.dump());
  try {
    Require(Same(value, YAML::Load(yaml)), "YAML says what JSON said", value.dump() + "\n" + yaml);
  } catch (const YAML::Exception& error) {
    Require(false, error.what(), yaml);
  }
}

}  // namespace dra_health

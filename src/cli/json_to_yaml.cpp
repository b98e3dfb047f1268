#include "cli/json_to_yaml.h"

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace dra_health {
namespace {

using Json = nlohmann::json;

// A text that YAML would read as something else must be quoted: "True" is no boolean, "..." ends a
// document, and a control character at an end is no part of a plain text.
bool NeedsQuotes(const std::string& text) {
  if (text.starts_with("---") || text.starts_with("...")) return true;
  if (std::ranges::any_of(text, [](unsigned char c) { return c < ' '; })) return true;
  const YAML::Node read = YAML::Load("[" + text + "]");
  bool boolean = false;
  double number = 0;
  return read.size() != 1 || !read[0].IsScalar() || read[0].Scalar() != text ||
         YAML::convert<bool>::decode(read[0], boolean) ||
         YAML::convert<double>::decode(read[0], number);
}

bool NeedsQuotesSafely(const std::string& text) {
  try {
    return NeedsQuotes(text);
  } catch (const YAML::Exception&) {
    return true;
  }
}

void Emit(YAML::Emitter& out, const Json& value) {
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, child] : value.items()) {
      out << YAML::Key << key << YAML::Value;
      Emit(out, child);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << YAML::BeginSeq;
    for (const Json& child : value) Emit(out, child);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (NeedsQuotesSafely(text)) out << YAML::DoubleQuoted;
    out << text;
  } else if (value.is_null()) {
    out << YAML::Null;
  } else {
    out << value.dump();
  }
}

}  // namespace

std::string JsonToYaml(const std::string& json) {
  YAML::Emitter out;
  Emit(out, Json::parse(json));
  return std::string(out.c_str()) + "\n";
}

}  // namespace dra_health

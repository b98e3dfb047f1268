#include "sim/driver/yaml_reader.h"

#include <algorithm>
#include <set>

#include "base/duration.h"
#include "base/text.h"
#include "sim/driver/scenario.h"

namespace dra_health::sim {
namespace {

constexpr const char* kTimeExamples = "a time such as 500ms, 2s or 1m30s";

constexpr std::chrono::hours kYear{365 * 24};

std::optional<std::chrono::milliseconds> ParseTime(std::string_view text) {
  const auto time = ParseDuration(text);
  if (!time || *time > kYear) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(*time);
}

std::string Join(std::initializer_list<std::string_view> words) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += ", ";
    joined += word;
  }
  return joined;
}

}  // namespace

void YamlReader::Refuse(const YAML::Node& where, const std::string& what) const {
  Refuse(where.Mark(), what);
}

void YamlReader::Refuse(const YAML::Mark& where, const std::string& what) const {
  // An empty document stands nowhere, which is the beginning.
  const int line = where.is_null() ? 1 : where.line + 1;
  throw ScenarioError{file_name_ + ":" + std::to_string(line) + ": " + what};
}

void YamlReader::CheckMap(const YAML::Node& node, std::string_view what,
                          std::initializer_list<std::string_view> allowed) const {
  CheckMap(node, what);
  for (const auto& entry : node) {
    const std::string key = entry.first.Scalar();
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    Refuse(entry.first, "unknown key '" + Printable(key) + "' in " + std::string(what) +
                            "; allowed: " + Join(allowed));
  }
}

void YamlReader::CheckMap(const YAML::Node& node, std::string_view what) const {
  if (!node.IsMap()) Refuse(node, std::string(what) + " must be a map of 'key: value'");
  std::set<std::string> seen;  // yaml-cpp takes a key twice and forgets one
  for (const auto& entry : node) {
    const std::string key = Text(entry.first, "a key");
    if (seen.insert(key).second) continue;
    Refuse(entry.first, "'" + Printable(key) + "' stands twice in " + std::string(what));
  }
}

std::string YamlReader::Text(const YAML::Node& node, std::string_view what) const {
  if (!node.IsScalar()) Refuse(node, std::string(what) + " must be a single value");
  return node.Scalar();
}

std::chrono::milliseconds YamlReader::Time(const YAML::Node& node, std::string_view what) const {
  const std::string text = Text(node, what);
  if (const auto time = ParseTime(text)) return *time;
  Refuse(node, std::string(what) + " is '" + Printable(text) + "'; allowed: " + kTimeExamples);
}

std::optional<std::chrono::milliseconds> YamlReader::TimeOrOff(const YAML::Node& node,
                                                               std::string_view what) const {
  const std::string text = Text(node, what);
  if (text == "off") return std::nullopt;
  const auto time = ParseTime(text);
  if (time && time->count() > 0) return time;
  Refuse(node,
         std::string(what) + " is '" + Printable(text) + "'; allowed: off, or " + kTimeExamples);
}

}  // namespace dra_health::sim

#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

namespace dra_health::sim {

// Thrown by YamlReader and caught by ParseScenario, in the two files that include yaml-cpp, which
// throws as well.
struct ScenarioError {
  std::string message;
};

// Checked access to YAML nodes. Every failure names file, line and what is allowed.
class YamlReader {
 public:
  explicit YamlReader(std::string file_name) : file_name_(std::move(file_name)) {}

  [[noreturn]] void Refuse(const YAML::Node& where, const std::string& what) const;
  [[noreturn]] void Refuse(const YAML::Mark& where, const std::string& what) const;

  // `node` is a map whose keys are all among `allowed`, each once. `what` names it in messages.
  void CheckMap(const YAML::Node& node, std::string_view what,
                std::initializer_list<std::string_view> allowed) const;
  // The same where any key may stand.
  void CheckMap(const YAML::Node& node, std::string_view what) const;

  std::string Text(const YAML::Node& node, std::string_view what) const;
  std::chrono::milliseconds Time(const YAML::Node& node, std::string_view what) const;
  std::optional<std::chrono::milliseconds> TimeOrOff(const YAML::Node& node,
                                                     std::string_view what) const;

 private:
  const std::string file_name_;
};

}  // namespace dra_health::sim

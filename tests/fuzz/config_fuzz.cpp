// The agent's configuration file: a mistake is named with its line, and what was set without one
// can be written down and read again.
#include <string>

#include "cli/config_file.h"
#include "cli/option_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    constexpr const char* kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x80 || (byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\');
    if (plain) {
      quoted += c;
    } else {
      quoted += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return quoted + "\"";
}

template <typename Target>
std::string Show(const std::vector<Setting<Target>>& settings, const Target& target,
                 const std::string& indent) {
  std::string text;
  for (const Setting<Target>& setting : settings) {
    const std::string shown = setting.show(target);
    if (!setting.in_file || shown.empty()) continue;
    text += indent + KeyName(setting.name) + ": " + Quoted(shown) + "\n";
  }
  return text;
}

std::string ToYaml(const RunOptions& options) {
  std::string text;
  for (const OptionGroup& group : RunOptionTable()) text += Show(group.settings, options, "");
  text += "drivers:\n  any.example.com: {}\n";
  for (const auto& [name, driver] : options.agent.settings.drivers) {
    if (name == "any.example.com") continue;
    text += "  " + Quoted(name) + ":\n" + Show(DriverOptionTable(), driver, "    ");
  }
  return text;
}

}  // namespace

void FuzzOne(std::string_view input) {
  static const TempFolder folder;
  static const std::string file = folder / "agent.yaml";
  WriteFile(file, std::string(input));
  RunOptions options;
  const Problems problems = ApplyConfigFile(file, options);
  for (const std::string& problem : problems) {
    RequirePlaceInFile(problem, file, input);
    Require(problem.find("; allowed: ") != std::string::npos, "a message says what is allowed",
            problem);
  }
  if (!problems.empty()) return;
  std::string text = ToYaml(options);
  if (!IsUtf8(text)) return;  // paths take any byte
  WriteFile(file, text);
  RunOptions again;
  for (const std::string& problem : ApplyConfigFile(file, again)) Require(false, problem, text);
  Require(ToYaml(again) == text, "options stay the same", text);
}

}  // namespace dra_health

#include "cli/option_help.h"

#include "cli/exit_codes.h"
#include "cli/option_table.h"

namespace dra_health {
namespace {

std::string Code(const std::string& text) { return "`" + text + "`"; }

// Defaults in words are no code.
template <typename Target>
std::string DefaultCell(const Setting<Target>& setting) {
  const std::string text = DefaultText(setting);
  return text == setting.unset ? text : Code(text);
}

std::string OptionRow(const Setting<RunOptions>& setting) {
  return "| " + Code(FlagName(setting.name)) + " | " + Code(EnvironmentName(setting)) + " | " +
         (setting.in_file ? Code(KeyName(setting.name)) : "") + " | " + DefaultCell(setting) +
         " | " + setting.allowed + " | " + setting.help + " |\n";
}

std::string DriverRow(const Setting<DriverSettings>& setting) {
  return "| " + Code(KeyName(setting.name)) + " | " + DefaultCell(setting) + " | " +
         setting.allowed + " | " + setting.help + " |\n";
}

}  // namespace

std::string HelpText(const Setting<RunOptions>& setting) {
  return setting.help + "\nAllowed: " + setting.allowed + ". Default: " + DefaultText(setting) +
         ".\nEnvironment: " + EnvironmentName(setting) + ".";
}

std::string ReferenceTables() {
  std::string page;
  for (const OptionGroup& group : RunOptionTable()) {
    page += "### " + group.heading +
            "\n\n| flag | environment | key | default | allowed | meaning |\n"
            "|---|---|---|---|---|---|\n";
    for (const auto& setting : group.settings) page += OptionRow(setting);
    page += "\n";
  }
  page +=
      "### Keys of one driver, below `drivers:`\n\n| key | default | allowed | meaning |\n"
      "|---|---|---|---|\n";
  for (const auto& setting : DriverOptionTable()) page += DriverRow(setting);
  page += "\n### Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const auto& [code, meaning] : kExitCodes) {
    page += "| " + std::to_string(code) + " | " + std::string(meaning) + " |\n";
  }
  return page;
}

}  // namespace dra_health

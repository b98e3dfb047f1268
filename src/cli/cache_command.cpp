#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <memory>
#include <string>

#include "agent/options.h"
#include "cli/cache_report.h"
#include "cli/cache_request.h"
#include "cli/commands.h"
#include "cli/run_options.h"

namespace dra_health {
namespace {

struct Topic {
  CacheTopic topic;
  const char* name;
  const char* description;
};

constexpr Topic kTopics[] = {
    {CacheTopic::kDevices, "devices", "Devices as they are now, with the pods that hold them"},
    {CacheTopic::kDrivers, "drivers", "Drivers and their health streams"},
    {CacheTopic::kPods, "pods", "Pods with their devices, deleted ones too"},
    {CacheTopic::kTransitions, "transitions", "Every change of a device's health, oldest first"},
    {CacheTopic::kDiff, "diff",
     "Where the kubelet's word in a pod's field differs from the agent's, and why"},
    {CacheTopic::kInfo, "info", "The store itself: versions, sizes, counts, last sign of life"},
    {CacheTopic::kExport, "export", "Everything, one JSON object with a \"kind\" a line"},
};

constexpr const char* kExitCodesText =
    "Exit codes: 0 done, also when nothing was found (standard error says so);\n"
    "1 the output could not be written; 2 wrong usage; 3 the store is missing, is no store,\n"
    "is broken, or was written by another version.";

std::string Allowed(const char* meaning, std::string_view allowed) {
  return std::string(meaning) + ": " + std::string(allowed);
}

void AddOptions(CLI::App& command, CacheTopic topic, CacheArguments& arguments) {
  command.add_option("--store", arguments.store, "The agent's store, or a copy of it")
      ->envname("DRA_HEALTH_STORE")
      ->type_name("FILE")
      ->capture_default_str();
  if (topic == CacheTopic::kExport) return;
  command.add_option("-o,--output", arguments.format, Allowed("Format", kAllowedFormats))
      ->type_name("FORMAT");
  if (topic == CacheTopic::kInfo) return;
  const auto add_filter = [&](const char* flag, auto& target, const std::string& description) {
    command.add_option(flag, target, description)->type_name("TEXT")->group("Filters");
  };
  add_filter("--driver", arguments.driver, "Driver");
  add_filter("--device", arguments.device, Allowed("Device", kAllowedDevices));
  add_filter("--pod", arguments.pod, Allowed("Pod", kAllowedPods));
  add_filter("--health", arguments.health, Allowed("Health", kAllowedHealth));
  add_filter("--since", arguments.since, Allowed("Changed since", kAllowedSince));
  if (topic != CacheTopic::kTransitions) return;
  command
      .add_option("--limit", arguments.limit,
                  Allowed("Show only the newest", std::string(kAllowedLimits) + " [1000]"))
      ->type_name("ROWS");
}

// Throws what CLI11 turns into a usage error.
int Run(CacheTopic topic, const CacheArguments& arguments) {
  const WallTime now = SystemClock().Now().wall;
  const auto request = ParseCacheRequest(topic, arguments, now);
  if (!request) throw CLI::ValidationError(request.error().option, request.error().problem);
  const Terminal terminal = DetectTerminal(STDOUT_FILENO, ProcessEnvironment);
  return ReportCache(*request, {std::cout, std::cerr, terminal, now});
}

}  // namespace

void AddCacheCommand(CLI::App& app, int& exit_code) {
  CLI::App* const cache = app.add_subcommand(
      "cache", "Show what the agent has stored, also while it runs; changes nothing");
  cache->require_subcommand(0, 1);  // as for the program itself: a misspelt one is then named
  cache->footer(kExitCodesText);
  cache->callback([cache] {
    if (cache->get_subcommands().empty()) throw CLI::RequiredError("One of the subcommands");
  });
  for (const Topic& topic : kTopics) {
    CLI::App* const command = cache->add_subcommand(topic.name, topic.description);
    command->footer(kExitCodesText);
    // Each has its own: CLI11 reads the environment for commands that were not called too.
    const auto arguments = std::make_shared<CacheArguments>();
    arguments->store = AgentOptions{}.store.string();
    AddOptions(*command, topic.topic, *arguments);
    command->callback(
        [&exit_code, arguments, topic = topic.topic] { exit_code = Run(topic, *arguments); });
  }
}

}  // namespace dra_health

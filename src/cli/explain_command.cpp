#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <memory>
#include <string>

#include "agent/options.h"
#include "cli/commands.h"
#include "cli/explain_report.h"
#include "cli/explain_request.h"
#include "cli/run_options.h"

namespace dra_health {
namespace {

constexpr const char* kExitCodesText =
    "Exit codes: 0 explained; 1 the output could not be written; 2 wrong usage, or a name that\n"
    "fits several devices; 3 the store cannot be read; 7 it knows no such pod or device.";

std::string Allowed(const char* meaning, std::string_view allowed) {
  return std::string(meaning) + ": " + std::string(allowed);
}

// Throws what CLI11 turns into a usage error.
int Run(ExplainTopic topic, const ExplainArguments& arguments) {
  const auto request = ParseExplainRequest(topic, arguments);
  if (!request) throw CLI::ValidationError(request.error().option, request.error().problem);
  const Terminal terminal = DetectTerminal(STDOUT_FILENO, ProcessEnvironment);
  return ReportExplanation(*request, {std::cout, std::cerr, terminal, SystemClock().Now().wall});
}

CLI::App* AddTopic(CLI::App& explain, ExplainTopic topic, const char* name, const char* description,
                   const std::shared_ptr<ExplainArguments>& arguments, int& exit_code) {
  CLI::App* const command = explain.add_subcommand(name, description);
  command->footer(kExitCodesText);
  arguments->store = AgentOptions{}.store.string();
  command->add_option("--store", arguments->store, "The agent's store, or a copy of it")
      ->envname("DRA_HEALTH_STORE")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->format, Allowed("Format", kAllowedExplainFormats))
      ->type_name("FORMAT");
  command->callback([&exit_code, arguments, topic] { exit_code = Run(topic, *arguments); });
  return command;
}

}  // namespace

void AddExplainCommand(CLI::App& app, int& exit_code) {
  CLI::App* const explain = app.add_subcommand(
      "explain", "Tell what happened to a pod or a device, also one that is gone");
  explain->require_subcommand(0, 1);  // as for the program itself: a misspelt one is then named
  explain->footer(kExitCodesText);
  explain->callback([explain] {
    if (explain->get_subcommands().empty()) throw CLI::RequiredError("One of the subcommands");
  });

  const auto of_pod = std::make_shared<ExplainArguments>();
  CLI::App* const pod = AddTopic(
      *explain, ExplainTopic::kPod, "pod",
      "Its devices and their health beside its containers' starts and ends", of_pod, exit_code);
  pod->add_option("POD", of_pod->name, Allowed("Pod", kAllowedExplainedPods))
      ->required()
      ->type_name("");
  pod->add_option("--uid", of_pod->uid,
                  "Which one, where several had this name [the one that is there, or the newest]")
      ->type_name("UID");

  const auto of_device = std::make_shared<ExplainArguments>();
  CLI::App* const device =
      AddTopic(*explain, ExplainTopic::kDevice, "device",
               "Every pod that held it and every change of its health", of_device, exit_code);
  device->add_option("DEVICE", of_device->name, Allowed("Device", kAllowedDevices))
      ->required()
      ->type_name("");
  device
      ->add_option("--pool", of_device->pool,
                   "Its pool, where slashes in the names leave open where that ends")
      ->type_name("POOL");
}

}  // namespace dra_health

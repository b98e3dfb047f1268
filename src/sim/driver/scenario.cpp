#include "sim/driver/scenario.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "sim/driver/driver.h"
#include "sim/driver/yaml_reader.h"

namespace dra_health::sim {
namespace {

// A word and what it stands for; the list is what messages say is allowed.
template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};

constexpr std::array kHealthWords = {Word<Health>{"healthy", Health::kHealthy},
                                     Word<Health>{"unhealthy", Health::kUnhealthy},
                                     Word<Health>{"unknown", Health::kUnknown}};

constexpr std::array kServiceWords = {Word<const char*>{"v1", kHealthV1},
                                      Word<const char*>{"v1alpha1", kHealthV1Alpha1}};

// By number, as in grpc/status.h, which this file need not include for them.
constexpr std::array kCodeWords = {
    Word<int>{"OK", 0},
    Word<int>{"CANCELLED", 1},
    Word<int>{"UNKNOWN", 2},
    Word<int>{"INVALID_ARGUMENT", 3},
    Word<int>{"DEADLINE_EXCEEDED", 4},
    Word<int>{"NOT_FOUND", 5},
    Word<int>{"ALREADY_EXISTS", 6},
    Word<int>{"PERMISSION_DENIED", 7},
    Word<int>{"RESOURCE_EXHAUSTED", 8},
    Word<int>{"FAILED_PRECONDITION", 9},
    Word<int>{"ABORTED", 10},
    Word<int>{"OUT_OF_RANGE", 11},
    Word<int>{"UNIMPLEMENTED", 12},
    Word<int>{"INTERNAL", 13},
    Word<int>{"UNAVAILABLE", 14},
    Word<int>{"DATA_LOSS", 15},
    Word<int>{"UNAUTHENTICATED", 16},
};

const std::array kActionWords = {
    Word<Action>{"silence", action::Silence{}}, Word<Action>{"resume", action::Resume{}},
    Word<Action>{"stop", action::Stop{}}, Word<Action>{"start", action::Start{}},
    Word<Action>{"kill", action::Kill{}}};

constexpr std::array<std::string_view, 4> kActionKeys = {"report", "heartbeat", "do", "end"};

class Parser {
 public:
  explicit Parser(const std::string& file_name) : reader_(file_name) {}

  Scenario Parse(const YAML::Node& root) {
    reader_.CheckMap(root, "a scenario", {"drivers", "steps"});
    const YAML::Node drivers = root["drivers"];
    if (!drivers) reader_.Refuse(root, "'drivers' is missing");
    reader_.CheckMap(drivers, "'drivers'");
    Scenario scenario;
    for (const auto& entry : drivers) {
      scenario.drivers.push_back(ParseDriver(entry.first, entry.second));
    }
    if (scenario.drivers.empty()) reader_.Refuse(drivers, "'drivers' names no driver");
    if (const YAML::Node steps = root["steps"]) scenario.steps = ParseSteps(steps, scenario);
    return scenario;
  }

 private:
  template <typename Value, std::size_t Size>
  Value Choose(const YAML::Node& node, const std::string& what,
               const std::array<Word<Value>, Size>& words) const {
    const std::string text = reader_.Text(node, what);
    std::string allowed;
    for (const auto& [word, value] : words) {
      if (word == text) return value;
      allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    }
    reader_.Refuse(node, what + " is '" + Printable(text) + "'; allowed: " + allowed);
  }

  ScenarioDriver ParseDriver(const YAML::Node& key, const YAML::Node& node) {
    ScenarioDriver driver{.name = key.Scalar(), .services = {kHealthV1, kHealthV1Alpha1}};
    if (driver.name.empty() || driver.name.find('/') != std::string::npos) {
      reader_.Refuse(key, "'" + Printable(driver.name) +
                              "' is no driver name; allowed: a DNS name such as gpu.example.com");
    }
    if (node.IsNull()) return driver;
    reader_.CheckMap(node, "driver '" + Printable(driver.name) + "'",
                     {"heartbeat", "lease", "services", "devices"});
    if (const auto heartbeat = node["heartbeat"]) {
      driver.heartbeat = reader_.TimeOrOff(heartbeat, "'heartbeat'");
    }
    if (const auto services = node["services"]) driver.services = ParseServices(services);
    if (const auto lease = node["lease"]) leases_[driver.name] = ParseLease(lease);
    if (const auto devices = node["devices"]) driver.devices = ParseDevices(devices, driver.name);
    return driver;
  }

  std::vector<std::string> ParseServices(const YAML::Node& node) const {
    if (!node.IsSequence()) reader_.Refuse(node, "'services' must be a list such as [v1]");
    std::vector<std::string> services;
    for (const auto& service : node) {
      services.emplace_back(Choose(service, "a health service", kServiceWords));
    }
    return services;
  }

  // The wire has whole seconds.
  std::chrono::seconds ParseLease(const YAML::Node& node) const {
    const auto lease = reader_.Time(node, "'lease'");
    if (lease % std::chrono::seconds{1} != std::chrono::milliseconds{0}) {
      reader_.Refuse(node, "'lease' is '" + node.Scalar() + "'; allowed: whole seconds");
    }
    return std::chrono::duration_cast<std::chrono::seconds>(lease);
  }

  std::vector<DeviceReport> ParseDevices(const YAML::Node& node, const std::string& driver) {
    reader_.CheckMap(node, "a list of devices");
    std::vector<DeviceReport> devices;
    for (const auto& entry : node) {
      devices.push_back(ParseDevice(entry.first, entry.second, driver));
    }
    return devices;
  }

  DeviceReport ParseDevice(const YAML::Node& key, const YAML::Node& node,
                           const std::string& driver) {
    const std::string& name = key.Scalar();
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == name.size()) {
      reader_.Refuse(key, "'" + Printable(name) + "' is no device; allowed: POOL/DEVICE");
    }
    DeviceReport device{.pool = name.substr(0, slash), .device = name.substr(slash + 1)};
    device.lease = leases_[driver];
    if (node.IsScalar()) {
      device.health = Choose(node, "the health of " + Printable(name), kHealthWords);
      return device;
    }
    reader_.CheckMap(node, "device '" + Printable(name) + "'", {"health", "message", "lease"});
    const auto health = node["health"];
    if (!health) reader_.Refuse(node, "'health' of " + Printable(name) + " is missing");
    device.health = Choose(health, "the health of " + Printable(name), kHealthWords);
    if (const auto message = node["message"]) device.message = reader_.Text(message, "'message'");
    if (const auto lease = node["lease"]) device.lease = ParseLease(lease);
    return device;
  }

  std::vector<Step> ParseSteps(const YAML::Node& node, const Scenario& scenario) {
    if (node.IsNull()) return {};
    if (!node.IsSequence()) reader_.Refuse(node, "'steps' must be a list of '- at: ...'");
    std::vector<Step> steps;
    for (const auto& entry : node) {
      Step step = ParseStep(entry, scenario);
      const auto later = std::upper_bound(
          steps.begin(), steps.end(), step.at,
          [](std::chrono::milliseconds at, const Step& other) { return at < other.at; });
      steps.insert(later, std::move(step));
    }
    return steps;
  }

  Step ParseStep(const YAML::Node& node, const Scenario& scenario) {
    reader_.CheckMap(node, "a step", {"at", "driver", "report", "heartbeat", "do", "end"});
    const auto at = node["at"];
    if (!at) reader_.Refuse(node, "a step needs 'at', its time since the start");
    Step step{.at = reader_.Time(at, "'at'"), .driver = DriverOf(node, scenario), .action = {}};
    step.action = ParseAction(node, step.driver);
    return step;
  }

  std::string DriverOf(const YAML::Node& step, const Scenario& scenario) const {
    const YAML::Node node = step["driver"];
    if (!node && scenario.drivers.size() == 1) return scenario.drivers.front().name;
    std::string names;
    for (const ScenarioDriver& driver : scenario.drivers) {
      if (node && node.IsScalar() && node.Scalar() == driver.name) return driver.name;
      names += (names.empty() ? "" : ", ") + Printable(driver.name);
    }
    if (!node) reader_.Refuse(step, "a step needs 'driver' where there are several: " + names);
    reader_.Refuse(
        node, "'driver' is '" + Printable(reader_.Text(node, "'driver'")) + "'; allowed: " + names);
  }

  Action ParseAction(const YAML::Node& step, const std::string& driver) {
    const auto actions =
        std::count_if(kActionKeys.begin(), kActionKeys.end(),
                      [&](std::string_view key) { return step[std::string(key)].IsDefined(); });
    if (actions != 1) reader_.Refuse(step, "a step has one of 'report', 'heartbeat', 'do', 'end'");
    if (const auto report = step["report"]) return action::Report{ParseDevices(report, driver)};
    if (const auto interval = step["heartbeat"]) {
      return action::Heartbeat{reader_.TimeOrOff(interval, "'heartbeat'")};
    }
    if (const auto code = step["end"]) return action::EndStreams{Choose(code, "'end'", kCodeWords)};
    return Choose(step["do"], "'do'", kActionWords);
  }

  const YamlReader reader_;
  std::map<std::string, std::chrono::seconds> leases_;  // by driver, of devices that set none
};

}  // namespace

Result<Scenario> ParseScenario(const std::string& text, const std::string& file_name) {
  try {
    return Parser(file_name).Parse(YAML::Load(text));
  } catch (const ScenarioError& error) {
    return Fail(ErrorKind::kItem, error.message);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    return Fail(ErrorKind::kItem,
                file_name + ":" + std::to_string(line) + ": not YAML: " + Printable(error.msg));
  }
}

Result<Scenario> LoadScenario(const std::filesystem::path& file) {
  const std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    return Fail(ErrorKind::kItem, "cannot read the scenario " + file.native());
  }
  return ParseScenario(text.str(), file.native());
}

}  // namespace dra_health::sim

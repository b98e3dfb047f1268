// A scenario file of the simulated drivers.
#include <algorithm>
#include <string>
#include <variant>

#include "sim/driver/scenario.h"
#include "tests/fuzz/fuzz.h"

namespace dra_health::sim {
namespace {

void Check(const std::vector<DeviceReport>& devices) {
  for (const DeviceReport& device : devices) {
    Require(!device.pool.empty() && !device.device.empty(), "a device has a name");
    Require(device.lease >= std::chrono::seconds{0} && device.lease <= std::chrono::hours{24 * 366},
            "a lease is bounded");
  }
}

void Check(const Scenario& scenario) {
  Require(!scenario.drivers.empty(), "there is a driver");
  for (const ScenarioDriver& driver : scenario.drivers) {
    Require(!driver.name.empty(), "a driver has a name");
    Require(!driver.heartbeat || driver.heartbeat->count() > 0, "a heartbeat takes time");
    Check(driver.devices);
  }
  Require(std::ranges::is_sorted(scenario.steps, {}, &Step::at), "steps are in order");
  for (const Step& step : scenario.steps) {
    const auto& drivers = scenario.drivers;
    Require(std::ranges::find(drivers, step.driver, &ScenarioDriver::name) != drivers.end(),
            "a step's driver exists", step.driver);
    if (const auto* report = std::get_if<action::Report>(&step.action)) Check(report->devices);
  }
}

}  // namespace
}  // namespace dra_health::sim

namespace dra_health {

void FuzzOne(std::string_view input) {
  const auto scenario = sim::ParseScenario(std::string(input), "demo.yaml");
  if (scenario) return sim::Check(*scenario);
  Require(scenario.error().kind == ErrorKind::kItem, "a wrong scenario is one item");
  RequirePlaceInFile(scenario.error().message, "demo.yaml", input);
}

}  // namespace dra_health

// Drivers and their endpoints.

#include <iterator>
#include <utility>

#include "simulation.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kHeartbeat{4};
constexpr std::size_t kDevices = 4;  // that a driver knows from the beginning

}  // namespace

// Of a rolling update the old one may know nothing any more, or the new one be the broken one.
void Simulation::Register(const std::string& name) {
  const PluginId id = next_plugin_++;
  Driver& driver = drivers_.at(name);
  const bool new_lies = !driver.endpoints.empty() && Chance(50);
  for (const PluginId other : driver.endpoints) endpoints_.at(other).lies = !new_lies;
  driver.endpoints.insert(id);
  endpoints_[id] = {.driver = name, .lies = new_lies};
  if (reconciler_) Announce(id);
}

void Simulation::Announce(PluginId id) {
  const std::string& name = endpoints_.at(id).driver;
  oracle_.Registered(id, name);
  registered_.emplace(name, Now().boot);
  known_drivers_.insert(name);
  std::vector<std::string> services{"v1.DRAPlugin"};
  if (drivers_.at(name).supported) services.emplace_back("v1.DRAResourceHealth");
  Deliver(event::PluginRegistered{id, name, "/reg/" + std::to_string(id),
                                  "/plugins/" + std::to_string(id), std::move(services)});
}

void Simulation::StopEndpoint(PluginId id) {
  EndStream(id);
  drivers_.at(endpoints_.at(id).driver).endpoints.erase(id);
  endpoints_.erase(id);
  Deliver(event::PluginDeregistered{id});
  oracle_.Deregistered(id);
}

void Simulation::EndStream(PluginId id) {
  Endpoint& endpoint = endpoints_.at(id);
  if (!std::exchange(endpoint.stream, false)) return;
  ++endpoint.generation;
  Deliver(event::StreamEnded{id, false, "UNAVAILABLE: connection reset"});
}

void Simulation::Report(PluginId id, std::vector<DeviceReport> devices) {
  const auto found = endpoints_.find(id);
  if (!reconciler_ || found == endpoints_.end() || !found->second.stream) return;
  const std::string driver = found->second.driver;
  if (found->second.lies) {
    for (DeviceReport& device : devices) device.health = Health::kUnhealthy;
  }
  if (oracle_.Reported(id, devices, Now().boot)) {
    for (const DeviceReport& device : devices) {
      const DeviceKey key{driver, device.pool, device.device};
      ended_.Reported(key, device.health, Now().boot);
    }
  }
  Deliver(event::ReportReceived{id, std::move(devices), 0});
}

void Simulation::ReportAll(const std::string& name) {
  const Driver& driver = drivers_.at(name);
  if (driver.silent || !driver.supported) return;
  for (const PluginId id : std::vector(driver.endpoints.begin(), driver.endpoints.end())) {
    Report(id, driver.devices);
  }
}

// A driver speaks of all its devices, or of some of them.
void Simulation::Heartbeat(const std::string& name) {
  At(milliseconds{kHeartbeat} + milliseconds{Below(500)}, [this, name] { Heartbeat(name); });
  const Driver& driver = drivers_.at(name);
  if (calm_ || !Chance(20)) return ReportAll(name);
  if (driver.silent || !driver.supported) return;
  for (const PluginId id : std::vector(driver.endpoints.begin(), driver.endpoints.end())) {
    std::vector<DeviceReport> devices = driver.devices;
    std::erase_if(devices, [this](const auto&) { return Chance(50); });
    Report(id, std::move(devices));
  }
}

void Simulation::ChangeDevice() {
  auto driver = std::next(drivers_.begin(), static_cast<std::ptrdiff_t>(Below(drivers_.size())));
  if (!driver->second.supported) return;
  if (driver->second.devices.size() == kDevices && Chance(2)) {
    driver->second.devices.push_back(  // one that pods may have been given before
        {"node", "dev-4", Health::kHealthy, "", 0, driver->second.lease});
  }
  const std::size_t device = Below(driver->second.devices.size());
  constexpr Health kAll[] = {Health::kHealthy, Health::kUnhealthy, Health::kUnknown};
  const Health old = driver->second.devices[device].health;
  Turn(driver->first, device, Chance(20) ? old : kAll[Below(3)]);
}

void Simulation::Turn(const std::string& name, std::size_t device, Health health) {
  Driver& driver = drivers_.at(name);
  if (device >= driver.devices.size() || !driver.supported) return;
  driver.devices[device].health = health;
  driver.devices[device].message = Chance(50) ? "" : "fault " + std::to_string(Below(5));
  if (driver.silent) return;
  const DeviceReport changed = driver.devices[device];
  const auto endpoints = driver.endpoints;
  for (const PluginId id : endpoints) Report(id, {changed});
}

void Simulation::ChangeDriver() {
  auto at = std::next(drivers_.begin(), static_cast<std::ptrdiff_t>(Below(drivers_.size())));
  Driver& driver = at->second;
  const auto some = [&] {
    return *std::next(driver.endpoints.begin(),
                      static_cast<std::ptrdiff_t>(Below(driver.endpoints.size())));
  };
  switch (Below(5)) {
    case 0:
      driver.silent = !driver.silent;
      return ReportAll(at->first);
    case 1:
      if (!driver.endpoints.empty()) EndStream(some());
      return;
    case 2:
      if (!driver.endpoints.empty()) StopEndpoint(some());
      return;
    case 3:
      if (driver.endpoints.size() < 2) Register(at->first);
      return;
    default:  // a plain restart
      if (driver.endpoints.empty()) return;
      StopEndpoint(some());
      At(milliseconds{Below(60'000)}, [this, name = at->first] {
        if (drivers_.at(name).endpoints.empty()) Register(name);
      });
  }
}

// Each is there, once, and tells the truth. One that stopped lying or being silent says so; of
// another one that was not believed nothing comes but on a new stream.
void Simulation::CalmDrivers() {
  for (auto& [name, driver] : drivers_) {
    bool speaks = std::exchange(driver.silent, false);
    while (driver.endpoints.size() > 1) {
      StopEndpoint(Chance(50) ? *driver.endpoints.begin() : *driver.endpoints.rbegin());
    }
    if (driver.endpoints.empty()) Register(name);
    speaks |= std::exchange(endpoints_.at(*driver.endpoints.begin()).lies, false);
    if (speaks) ReportAll(name);
  }
}

}  // namespace dra_health

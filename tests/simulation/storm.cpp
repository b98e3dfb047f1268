// What happens to the agent: drivers, pods, servers and the agent itself come and go.

#include <algorithm>
#include <iterator>
#include <utility>

#include "simulation.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kHeartbeat{4};
constexpr std::size_t kMostPods = 7;
constexpr std::size_t kDevices = 4;  // that a driver knows from the beginning

}  // namespace

// --- drivers ---

void Simulation::Register(const std::string& name) {
  const PluginId id = next_plugin_++;
  Driver& driver = drivers_.at(name);
  for (const PluginId other : driver.endpoints) endpoints_.at(other).lies = true;
  driver.endpoints.insert(id);
  endpoints_[id] = {name};
  if (reconciler_) Announce(id);
}

void Simulation::Announce(PluginId id) {
  const std::string& name = endpoints_.at(id).driver;
  oracle_.Registered(id, name);
  registered_.emplace(name, Now().boot);
  std::vector<std::string> services{"v1.DRAPlugin"};
  if (drivers_.at(name).supported) services.emplace_back("v1.DRAResourceHealth");
  Deliver(event::PluginRegistered{id, name, "/reg/" + std::to_string(id),
                                  "/plugins/" + std::to_string(id), std::move(services)});
}

void Simulation::StopEndpoint(PluginId id) {
  EndStream(id);
  drivers_.at(endpoints_.at(id).driver).endpoints.erase(id);
  endpoints_.erase(id);
  if (!reconciler_) return;
  Deliver(event::PluginDeregistered{id});
  oracle_.Deregistered(id);
}

void Simulation::EndStream(PluginId id) {
  Endpoint& endpoint = endpoints_.at(id);
  if (!std::exchange(endpoint.stream, false)) return;
  ++endpoint.generation;
  if (reconciler_) Deliver(event::StreamEnded{id, false, "UNAVAILABLE: connection reset"});
}

void Simulation::Report(PluginId id, std::vector<DeviceReport> devices) {
  const auto found = endpoints_.find(id);
  if (!reconciler_ || found == endpoints_.end() || !found->second.stream) return;
  if (found->second.lies) {
    for (DeviceReport& device : devices) device.health = Health::kUnhealthy;
  }
  oracle_.Reported(id, devices, Now().boot);
  for (auto& [uid, may] : ended_) {
    for (const DeviceReport& device : devices) {
      const DeviceKey key{found->second.driver, device.pool, device.device};
      if (may.contains(key)) may[key].insert(HealthOf(key).value_or(Health::kUnknown));
    }
  }
  Deliver(event::ReportReceived{id, std::move(devices), 0});
}

// A driver speaks of all its devices, or of some of them.
void Simulation::Heartbeat(const std::string& name) {
  At(milliseconds{kHeartbeat} + milliseconds{Below(500)}, [this, name] { Heartbeat(name); });
  const Driver& driver = drivers_.at(name);
  if (driver.silent || !driver.supported) return;
  for (const PluginId id : std::vector(driver.endpoints.begin(), driver.endpoints.end())) {
    std::vector<DeviceReport> devices = driver.devices;
    if (!calm_ && Chance(20)) std::erase_if(devices, [this](const auto&) { return Chance(50); });
    Report(id, std::move(devices));
  }
}

// --- what goes wrong ---

void Simulation::Storm() {
  At(milliseconds{50 + Below(4000)}, [this] { Storm(); });
  if (calm_) return;
  switch (Below(6)) {
    case 0:
    case 1:
      return ChangeDevice();
    case 2:
      return ChangeDriver();
    case 3:
      return ChangePods();
    default:
      return ChangeCluster();
  }
}

void Simulation::ChangeDevice() {
  auto driver = std::next(drivers_.begin(), static_cast<std::ptrdiff_t>(Below(drivers_.size())));
  if (!driver->second.supported) return;
  if (driver->second.devices.size() == kDevices && Chance(2)) {
    driver->second.devices.push_back(  // one that pods may have been given before
        {"node", "dev-4", Health::kHealthy, "", 0, driver->second.lease});
  }
  DeviceReport& device = driver->second.devices[Below(driver->second.devices.size())];
  constexpr Health kAll[] = {Health::kHealthy, Health::kUnhealthy, Health::kUnknown};
  device.health = kAll[Below(3)];
  device.message = Chance(50) ? "" : "fault " + std::to_string(Below(5));
  if (driver->second.silent) return;
  const auto endpoints = driver->second.endpoints;
  for (const PluginId id : endpoints) Report(id, {device});
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
      return;
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

void Simulation::ChangePods() {
  const auto pods = cluster_.Pods();
  if (pods.size() < kMostPods && (pods.empty() || Chance(50))) {
    std::vector<DeviceKey> devices;
    for (std::size_t i = 0; i <= Below(3); ++i) {
      auto driver =
          std::next(drivers_.begin(), static_cast<std::ptrdiff_t>(Below(drivers_.size())));
      const std::size_t last = driver->second.supported ? kDevices : 0;
      devices.push_back({driver->first, "node", "dev-" + std::to_string(Below(last + 1))});
    }
    const std::string name = "pod-" + std::to_string(next_pod_++ % 20);
    if (cluster_.FindByName(name)) return;
    cluster_.AddPod(name, devices);
    if (cluster_.up) Send(milliseconds{Below(50)}, event::PodChanged{cluster_.FindByName(name)});
    return;
  }
  const std::string uid = pods[Below(pods.size())]->uid;
  if (!cluster_.up) return;
  if (Chance(40) && !cluster_.Find(uid)->ended) {
    cluster_.EndPod(uid);
    Send(milliseconds{0}, event::PodChanged{cluster_.Find(uid)});
  } else {
    cluster_.DeletePod(uid);
    Send(milliseconds{Below(50)}, event::PodDeleted{uid});
  }
}

void Simulation::ChangeCluster() {
  switch (Below(9)) {
    case 0:  // away for a while
      if (!cluster_.up) return;
      cluster_.up = false;
      At(seconds{1 + Below(200)}, [this] {
        cluster_.up = true;
        if (!reconciler_) return;
        Deliver(event::ApiReconnected{});
        Deliver(event::PodsListed{cluster_.Pods()});
      });
      return;
    case 1:
      cluster_.drops_field = Chance(30);
      return;
    case 2:
      cluster_.drops_messages = Chance(30);
      return;
    case 3:
      cluster_.guard = !cluster_.guard;
      return;
    case 4:
      cluster_.kubelet_gate = !cluster_.kubelet_gate;
      return;
    case 5:
      disk_.full = Chance(50);
      return;
    case 6:
      clock_.StepWall(milliseconds{Below(20'000)} - seconds{10});
      return;
    default:  // the agent dies, and is back after a while, or after a reboot
      if (!reconciler_ || Chance(50)) return;
      Crash();
      if (Chance(10)) ++boot_;
      At(milliseconds{100 + Below(Chance(80) ? 5'000 : 90'000)}, [this] {
        Start();
        std::vector<PluginId> there;
        for (const auto& [id, endpoint] : endpoints_) there.push_back(id);
        for (const PluginId id : there) Announce(id);
      });
  }
}

void Simulation::KubeletTick() {
  At(seconds{10}, [this] { KubeletTick(); });
  const auto health_of = [this](const DeviceKey& key) {
    return HealthOf(key).value_or(Health::kUnknown);
  };
  std::vector<std::string> written = cluster_.Tick(health_of);
  for (const auto& pod : cluster_.Pods()) {
    if (!Chance(30)) continue;
    cluster_.TouchPod(pod->uid);
    written.push_back(pod->uid);
  }
  for (const std::string& uid : written) {
    if (cluster_.up) Send(milliseconds{Below(50)}, event::PodChanged{cluster_.Find(uid)});
  }
}

// Nothing goes wrong any more: all must come right, and then there is nothing to be said.
void Simulation::Calm() {
  calm_ = true;
  ++counts_.calms;
  Pass(seconds{200});  // what was away is back
  disk_.full = cluster_.drops_field = cluster_.drops_messages = false;
  cluster_.guard = true;  // without it the contest about the field of an ended pod has no end
  for (auto& [name, driver] : drivers_) {
    driver.silent = false;
    while (driver.endpoints.size() > 1) StopEndpoint(*driver.endpoints.begin());
    if (driver.endpoints.empty()) Register(name);
    endpoints_.at(*driver.endpoints.begin()).lies = false;
  }
  if (failure_.empty() && reconciler_) {
    Deliver(event::ApiReconnected{});
    Deliver(event::PodsListed{cluster_.Pods()});
  }
  Pass(seconds{1500});  // longer than any backoff and any peace that a contest needs
  if (!failure_.empty()) return;
  CheckConvergence();
  requests_.clear();
  const std::size_t transitions = counts_.transitions;
  Pass(seconds{180});
  if (!requests_.empty()) Broken("in a quiet state: " + requests_.front());
  if (counts_.transitions != transitions) Broken("transitions in a quiet state");
  CheckContest();
  requests_.clear();
  calm_ = false;
}

// Without a guard a kubelet takes the field away at each tick: at most 6 patches in 10 minutes.
void Simulation::CheckContest() {
  patches_of_.clear();
  cluster_.guard = cluster_.kubelet_gate = false;
  Pass(seconds{600});
  for (const auto& [uid, patches] : patches_of_) {
    if (patches > 6)
      Broken(uid + " is patched " + std::to_string(patches) + " times in 10 minutes");
  }
}

}  // namespace dra_health

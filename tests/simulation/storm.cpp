// What goes wrong: pods, servers, the disk and the kubelet change and come and go.

#include <iterator>
#include <utility>

#include "simulation.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMostPods = 7;
constexpr std::size_t kDevices = 4;

}  // namespace

void Simulation::Storm() {
  At(milliseconds{50 + Below(4000)}, [this] { Storm(); });
  if (calm_) return;
  switch (Below(7)) {
    case 0:
    case 1:
      return ChangeDevice();
    case 2:
      return ChangeDriver();
    case 3:
    case 4:
      return ChangePods();
    default:
      return ChangeCluster();
  }
}

void Simulation::ChangePods() {
  const auto pods = cluster_.Pods();
  if (pods.size() < kMostPods && (pods.empty() || Chance(50))) return AddPod();
  const std::string uid = pods[Below(pods.size())]->uid;
  if (!cluster_.up) return;
  if (Chance(60) && !cluster_.Find(uid)->ended) {
    EndPod(uid);
  } else {
    cluster_.DeletePod(uid);
    Watch(milliseconds{Below(50)}, event::PodDeleted{uid});
  }
}

// The fault that ended it is told a moment late, at times to an agent that cannot pass it on, or to
// the next one.
void Simulation::EndPod(const std::string& uid) {
  cluster_.EndPod(uid, Chance(50));
  Watch(milliseconds{0}, event::PodChanged{cluster_.Find(uid)});
  if (Chance(50)) return;
  const auto devices = cluster_.DevicesOf(uid);
  const DeviceKey key = devices[Below(devices.size())];
  const std::size_t device = key.device.back() - '0';
  At(milliseconds{100 + Below(12'000)},
     [this, key, device] { Turn(key.driver, device, Health::kUnhealthy); });
  if (Chance(50)) LoseServer(seconds{1 + Below(100)});
  if (mortal_ && Chance(20)) At(milliseconds{Below(6'000)}, [this] { Die(seconds{1 + Below(8)}); });
}

void Simulation::AddPod() {
  std::vector<std::vector<DeviceKey>> claims;
  for (std::size_t left = 1 + Below(3); left > 0; --left) {
    auto driver = std::next(drivers_.begin(), static_cast<std::ptrdiff_t>(Below(drivers_.size())));
    const std::size_t last = driver->second.supported ? kDevices : 0;
    const std::size_t device = Below(last + 1);
    const auto key = [&](std::size_t i) {
      return DeviceKey{driver->first, "node", "dev-" + std::to_string(i)};
    };
    claims.push_back({key(device)});
    if (device < last && Chance(40)) claims.back().push_back(key(device + 1));
  }
  const std::string name = "pod-" + std::to_string(next_pod_++ % 20);
  if (cluster_.FindByName(name)) return;
  cluster_.AddPod(name, claims);
  if (cluster_.up) Watch(milliseconds{Below(50)}, event::PodChanged{cluster_.FindByName(name)});
}

void Simulation::ChangeCluster() {
  switch (Below(9)) {
    case 0:
      if (cluster_.up) LoseServer(seconds{1 + Below(Chance(80) ? 100 : 600)});
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
    case 5:
      return ChangeKubelet();
    case 6:
      clock_.StepWall(milliseconds{Below(20'000)} - seconds{10});
      return;
    default:
      return ChangeDisk();
  }
}

void Simulation::LoseServer(seconds time) {
  cluster_.up = false;
  At(time, [this, absence = ++absence_] {
    if (absence == absence_) RegainServer();
  });
}

void Simulation::RegainServer() {
  ++absence_;
  cluster_.up = true;
  Deliver(event::ApiReconnected{});
  Deliver(event::PodsListed{cluster_.Pods()});
}

void Simulation::ChangeDisk() {
  switch (Below(6)) {
    case 0:
      disk_.closed = !disk_.closed;
      return;
    case 1:
      disk_.locked = true;
      At(seconds{1 + Below(20)}, [this] { disk_.locked = false; });
      return;
    case 2:
      if (Chance(20)) disk_.unreadable = true;
      return;
    case 3:
      if (Chance(20)) disk_.Lose();
      return;
    default:
      disk_.full = Chance(60);
  }
}

// It does its work or not, was restarted and knows old things or nothing, or is simply wrong.
void Simulation::ChangeKubelet() {
  if (Chance(40)) {
    cluster_.kubelet_gate = !cluster_.kubelet_gate;
    return;
  }
  kubelet_honest_ = Chance(50);
  if (kubelet_honest_ || Chance(50)) return;
  constexpr Health kAll[] = {Health::kHealthy, Health::kUnhealthy, Health::kUnknown};
  for (auto& [key, health] : kubelet_memory_) health = kAll[Below(3)];
}

Health Simulation::KubeletSays(const DeviceKey& key) {
  Health& known = kubelet_memory_[key];
  if (kubelet_honest_) known = HealthOf(key).value_or(Health::kUnknown);
  return known;
}

void Simulation::KubeletTick() {
  At(seconds{10}, [this] { KubeletTick(); });
  std::vector<std::string> written =
      cluster_.Tick([this](const DeviceKey& key) { return KubeletSays(key); });
  for (const std::string& uid : written) carries_.erase(uid);
  for (const auto& pod : cluster_.Pods()) {
    if (!Chance(30)) continue;
    cluster_.TouchPod(pod->uid);
    written.push_back(pod->uid);
  }
  for (const std::string& uid : written) {
    if (cluster_.up) Watch(milliseconds{Below(50)}, event::PodChanged{cluster_.Find(uid)});
  }
}

}  // namespace dra_health

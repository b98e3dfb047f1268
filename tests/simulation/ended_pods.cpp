#include "ended_pods.h"

#include <algorithm>
#include <utility>

namespace dra_health {

void EndedPods::Ended(const std::string& uid, const std::vector<DeviceKey>& devices,
                      const HealthOf& health_of, const Predicate& counts, Moment now,
                      std::chrono::milliseconds window) {
  const auto [found, added] = pods_.try_emplace(uid);
  Pod& pod = found->second;
  const auto ended = std::exchange(pod.stored, std::nullopt).value_or(now.wall);
  pod.until = now.boot + std::clamp(window - (now.wall - ended), window.zero(), window);
  if (!added) return;
  for (const DeviceKey& key : devices) {
    Device& device = pod.devices[key];
    device.may.insert(health_of(key));
    device.counts = counts(key);
  }
}

void EndedPods::Learned(const std::string& uid, const DeviceKey& key, Health health, bool owned) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  const auto found = pod->second.devices.find(key);  // none: a namesake's claim was read
  if (found == pod->second.devices.end() || std::exchange(found->second.learned, true)) return;
  Device& device = found->second;
  device.owned = owned;
  if (owned) return;
  device.may.insert(health);
  device.fault |= health == Health::kUnhealthy;
}

void EndedPods::Reported(const DeviceKey& key, Health health, BootTime now) {
  for (auto& [uid, pod] : pods_) {
    const auto found = pod.devices.find(key);
    if (found == pod.devices.end() || now >= pod.until) continue;
    Device& device = found->second;
    if (!device.owned && !device.fault) device.may.insert(health);
  }
}

void EndedPods::Owned(const DeviceKey& key, const std::string& uid, bool ended) {
  for (auto& [other, pod] : pods_) {
    const auto found = pod.devices.find(key);
    if (other == uid || found == pod.devices.end()) continue;
    Device& device = found->second;
    device.disputed = true;
    device.owned |= device.learned && !ended;
  }
}

void EndedPods::Restarted(const StoredState& stored, const HealthOf& health_of,
                          const SaysFault& says_fault) {
  std::map<std::string, Pod> known;
  for (const PodRecord& record : stored.pods) {
    if (!record.ended || !pods_.contains(record.uid)) continue;
    Pod& pod = known[record.uid] = std::move(pods_.at(record.uid));
    pod.stored = record.ended;
    pod.until = BootTime::max();
    for (auto& [key, device] : pod.devices) {
      device.disputed = false;
      device.owned = false;  // until the agent has read the other pod's claim again
      device.learned = false;
      if (says_fault(record.uid)) continue;
      device.fault = false;  // only the pod could have told of it
      device.may.insert(health_of(key));
    }
  }
  pods_ = std::move(known);
}

bool EndedPods::IsNews(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() || found->second.stored;
}

bool EndedPods::May(const std::string& uid, const DeviceKey& key, Health health) const {
  return pods_.at(uid).devices.at(key).may.contains(health);
}

bool EndedPods::Counts(const std::string& uid, const DeviceKey& key) const {
  return pods_.at(uid).devices.at(key).counts;
}

bool EndedPods::IsOpen(const std::string& uid, BootTime at) const {
  const Pod& pod = pods_.at(uid);
  return at < pod.until &&
         std::ranges::none_of(
             pod.devices,
             [](const auto& device) { return device.second.owned || device.second.disputed; });
}

}  // namespace dra_health

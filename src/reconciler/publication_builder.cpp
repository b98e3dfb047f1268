#include "reconciler/publication_builder.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "base/text.h"

namespace dra_health {
namespace {

// The condition names the devices that made it so, up to this many; the field has them all.
constexpr std::size_t kDevicesNamed = 8;
constexpr std::size_t kMessageInCondition = 256;

std::string_view DefaultMessage(UnknownReason reason) {
  switch (reason) {
    case UnknownReason::kNeverReported:
      return "the driver has not reported on this device";
    case UnknownReason::kDriverSaysSo:
      return "the driver does not know";
    default:
      return "the driver reports this device as unhealthy";
  }
}

// A word for a device whose driver gave none, and since when for everything but Healthy: the last
// value may be looked at long after it was written.
std::string MessageFor(const DeviceHealth& health) {
  if (health.health == Health::kHealthy) return CutBytes(health.message, kMaxStoredMessage);
  if (health.reason == UnknownReason::kNotSupported) return "the driver does not report health";
  std::string text = health.message;
  if (text.empty()) text = DefaultMessage(health.reason);
  const std::string since = " (since " + FormatTime(health.since) + ")";
  return CutBytes(std::move(text), kMaxStoredMessage - since.size()) + since;
}

struct Named {
  std::string name;
  DeviceHealth health;
};

std::string Describe(std::vector<Named> devices, std::size_t total, std::string_view word) {
  std::string text = std::to_string(devices.size()) + " of " + std::to_string(total) +
                     (total == 1 ? " device " : " devices ") + std::string(word) + ": ";
  const std::size_t shown = std::min(devices.size(), kDevicesNamed);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += "; ";
    text += devices[i].name;
    if (devices[i].health.health != Health::kHealthy) {
      text += ", " + CutBytes(MessageFor(devices[i].health), kMessageInCondition);
    }
  }
  if (shown < devices.size()) {
    text += "; and " + std::to_string(devices.size() - shown) + " more";
  }
  return text;
}

ConditionStatus BuildCondition(const std::map<DeviceKey, DeviceHealth>& counted) {
  Health worst = Health::kHealthy;
  for (const auto& [key, health] : counted) {
    if (IsWorse(health.health, worst)) worst = health.health;
  }
  std::vector<Named> named;
  for (const auto& [key, health] : counted) {
    if (health.health == worst) named.push_back({ResourceId(key), health});
  }
  switch (worst) {
    case Health::kUnhealthy:
      return {worst, "DeviceUnhealthy", Describe(named, counted.size(), "unhealthy")};
    case Health::kUnknown:
      return {worst, "DeviceHealthUnknown", Describe(named, counted.size(), "of unknown health")};
    case Health::kHealthy:
      break;
  }
  return {worst, "AllDevicesHealthy", Describe(named, counted.size(), "healthy")};
}

void Merge(std::vector<ResourceHealth>& resources, ResourceHealth added) {
  const auto found = std::ranges::find(resources, added.resource_id, &ResourceHealth::resource_id);
  if (found == resources.end()) {
    resources.push_back(std::move(added));
  } else if (IsWorse(added.health, found->health)) {
    *found = std::move(added);
  }
}

std::vector<ResourceStatus> BuildEntries(const ContainerStatus& status,
                                         std::span<const Allocation> allocations,
                                         const DeviceLookup& device_of) {
  std::map<std::string, std::vector<ResourceHealth>> by_name;
  for (const Allocation& allocation : allocations) {
    if (allocation.container != status.name) continue;
    const PublishedDevice device = device_of(allocation.key);
    Merge(by_name[allocation.status_name],
          {device.resource_id, device.health.health, MessageFor(device.health)});
  }
  std::vector<ResourceStatus> entries;
  for (auto& [name, resources] : by_name) {
    std::ranges::sort(resources);
    entries.push_back({name, std::move(resources)});
  }
  return entries;
}

}  // namespace

Publication BuildPublication(const Pod& pod, std::span<const Allocation> allocations,
                             const DeviceLookup& device_of) {
  std::map<DeviceKey, DeviceHealth> counted;
  std::vector<Allocation> running;  // without plain init containers, which are over
  for (const Allocation& allocation : allocations) {
    if (allocation.kind == ContainerKind::kInit) continue;
    running.push_back(allocation);
    PublishedDevice device = device_of(allocation.key);
    if (device.counts) counted.emplace(allocation.key, std::move(device.health));
  }
  Publication publication;
  if (counted.empty()) return publication;
  publication.condition = BuildCondition(counted);
  for (const ContainerStatus& status : pod.statuses) {
    auto entries = BuildEntries(status, running, device_of);
    if (entries.empty()) continue;
    publication.containers.push_back({status.path, status.name, std::move(entries)});
  }
  return publication;
}

}  // namespace dra_health

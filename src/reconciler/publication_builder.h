#pragma once

#include <functional>
#include <span>

#include "model/device.h"
#include "model/pod.h"
#include "model/publication.h"
#include "reconciler/allocation.h"

namespace dra_health {

// A device as a publication needs it.
struct PublishedDevice {
  DeviceHealth health;
  std::string resource_id;  // how it is called in the field
  bool counts = true;       // its driver offers health, so the condition depends on it
};
using DeviceLookup = std::function<PublishedDevice(const DeviceKey&)>;

// What `pod` shall say about the devices it holds: the field of every container and sidecar that
// has a status, and the condition. Sorted, cut to the API's limits, empty when no device counts:
// then the pod gets neither field nor condition. Two devices under one resourceID (shares of one
// device) become one, the worse wins and keeps its message.
Publication BuildPublication(const Pod& pod, std::span<const Allocation> allocations,
                             const DeviceLookup& device_of);

}  // namespace dra_health

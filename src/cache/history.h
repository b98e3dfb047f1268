#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/record.h"

namespace dra_health {

// How long after a pod let go of its devices their changes are still part of its history.
inline constexpr std::chrono::minutes kAftermath{10};

struct PodName {
  std::string namespace_name;
  std::string name;
  std::optional<std::string> uid;  // none: the pod that is there, or else the newest
};

// When somebody was there to see.
struct Presence {
  std::vector<AbsenceRecord> absences;  // oldest first
  std::optional<AliveRecord> alive;     // the last sign of life
};

// All that the store knows of one pod and of the devices it held.
struct PodHistory {
  PodRecord pod;
  std::vector<PodRecord> namesakes;  // the other pods of its name, newest first
  std::vector<AllocationRecord> allocations;
  std::vector<ContainerRecord> containers;  // each container's runs in their order
  std::vector<DeviceRecord> devices;        // as they are now
  std::vector<DriverRecord> drivers;
  // Oldest first: while the pod was there and kAftermath longer, and of each device the last one
  // before.
  std::vector<Transition> transitions;
  Presence presence;
};

// All that the store knows of one device and of the pods that held it.
struct DeviceHistory {
  DeviceKey key;
  std::optional<DeviceRecord> device;  // as it is now
  std::optional<DriverRecord> driver;
  std::vector<PodRecord> pods;                // in the order in which they were first seen
  std::vector<AllocationRecord> allocations;  // of this device
  std::vector<ContainerRecord> containers;    // all of those pods
  std::vector<Transition> transitions;        // all, oldest first
  Presence presence;
};

}  // namespace dra_health

#pragma once

#include <string>
#include <vector>

#include "explain/device_health.h"
#include "explain/explanation.h"
#include "model/record.h"

namespace dra_health {

// The sentences. They put side by side what is known of devices and containers, in the order of
// time; they never say that the one caused the other.

// A device that a container held.
struct HeldDevice {
  DeviceKey key;
  std::vector<HealthSpan> health;
  std::string why_not_offered;  // why its driver reports nothing; empty where it does
};

// `end` is a run that has ended; `devices` are those of its container.
Verdict ExplainEnd(const ContainerRecord& end, const std::vector<HeldDevice>& devices,
                   const std::vector<Away>& away);

// `who` runs, such as "container main", and holds the devices.
Verdict ExplainRunning(const std::string& who, const std::vector<HeldDevice>& devices,
                       const std::vector<Away>& away, WallTime now);

// "container main", "init container prepare", "sidecar proxy".
std::string CalledBy(const ContainerRecord& record);

}  // namespace dra_health

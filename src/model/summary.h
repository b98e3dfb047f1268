#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/device.h"
#include "model/record.h"

namespace dra_health {

// The devices of one driver, counted.
struct DeviceSummary {
  std::map<Health, std::size_t> by_health;
  // Without a current report although somebody waits for one: the driver is there, or a pod holds
  // the device.
  std::size_t stale = 0;
  // Until the first of the current reports ends; none: no report is current.
  std::optional<std::chrono::nanoseconds> lease_margin;

  bool operator==(const DeviceSummary&) const = default;
};

struct DriverSummary {
  std::optional<DriverState> state;  // none: never seen, but a pod holds a device of it
  std::int64_t streams_opened = 0;
  std::int64_t streams_ended = 0;
  DeviceSummary devices;

  bool operator==(const DriverSummary&) const = default;
};

struct PodSummary {
  // Of pods that have not ended; all states there are, also those with no pods.
  std::map<FieldState, std::size_t> by_field;
  std::size_t queued = 0;  // changed, and not looked at yet
  std::size_t patches_in_flight = 0;
  std::size_t differences = 0;  // lasting, in fields that the kubelet holds
  std::uint64_t reverts = 0;    // since the start: another writer took away what had been published

  bool operator==(const PodSummary&) const = default;
};

// The reconciler's state in numbers.
struct Summary {
  std::map<std::string, DriverSummary> drivers;  // by name
  PodSummary pods;
};

}  // namespace dra_health

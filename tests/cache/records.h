#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/record.h"

namespace dra_health {

inline constexpr std::size_t kNoLimit = std::size_t{1} << 40;

inline WallTime At(int seconds) {
  return WallTime{std::chrono::seconds{1'800'000'000} + std::chrono::seconds{seconds}};
}

inline DeviceKey Gpu(const std::string& device) {
  return {.driver = "gpu.example.com", .pool = "node-1", .device = device};
}

inline DeviceRecord Device(const DeviceKey& key, Health health, int since = 0) {
  DeviceRecord record;
  record.key = key;
  record.health.health = health;
  record.health.reason =
      health == Health::kUnknown ? UnknownReason::kLeaseExpired : UnknownReason::kNone;
  record.health.message = "words of the driver";
  record.health.since = At(since);
  record.lease = std::chrono::seconds{30};
  record.driver_time = 1'799'999'000;
  return record;
}

inline Transition Change(const DeviceKey& key, Health from, Health to, int at) {
  Transition record;
  record.at = At(at);
  record.key = key;
  record.from = from;
  record.to = to;
  record.reason = to == Health::kUnknown ? UnknownReason::kLeaseExpired : UnknownReason::kNone;
  record.message = "changed at " + std::to_string(at);
  record.endpoint = "/var/lib/kubelet/plugins/gpu.example.com/dra.sock";
  return record;
}

inline PodRecord SomePod(const std::string& uid, const std::string& name) {
  PodRecord record;
  record.uid = uid;
  record.namespace_name = "jobs";
  record.name = name;
  record.field = FieldState::kOwn;
  record.condition = Health::kHealthy;
  record.reason = "AllDevicesHealthy";
  record.message = "fine";
  record.first_seen = At(0);
  return record;
}

inline AllocationRecord SomeAllocation(const std::string& pod_uid, const DeviceKey& key, int from) {
  AllocationRecord record;
  record.pod_uid = pod_uid;
  record.container = "train";
  record.pod_claim = "gpus";
  record.claim = "claim-of-" + pod_uid;
  record.request = "req";
  record.key = key;
  record.from = At(from);
  return record;
}

// A run of the container "train"; `ended` is none while it runs.
inline ContainerRecord RunOf(const std::string& pod_uid, int restart, int started,
                             std::optional<int> ended = std::nullopt, int exit_code = 0) {
  ContainerRecord record;
  record.pod_uid = pod_uid;
  record.container = "train";
  record.run.restart = restart;
  record.run.started = At(started);
  if (!ended) return record;
  record.run.ended = At(*ended);
  record.run.exit_code = exit_code;
  record.run.reason = exit_code == 0 ? "Completed" : "Error";
  return record;
}

inline DriverRecord SomeDriver(const std::string& name, DriverState state) {
  DriverRecord record;
  record.name = name;
  record.state = state;
  record.endpoint = "/plugins/" + name + "/dra.sock";
  record.service = "v1.DRAResourceHealth";
  record.since = At(0);
  record.streams_opened = 3;
  record.streams_ended = 2;
  record.last_error = "UNAVAILABLE: gone";
  return record;
}

inline AliveRecord Alive(int at) {
  return {.boot_id = "boot-1", .boot = BootTime{std::chrono::seconds{at}}, .wall = At(at)};
}

using Writes = std::vector<StoreWrite>;

}  // namespace dra_health

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "model/container_run.h"
#include "model/device.h"

namespace dra_health {

// What the store keeps, in words a person reads in `cache`. Times are wall times for people; only
// AliveRecord carries what ageing needs.

struct DeviceRecord {
  DeviceKey key;
  DeviceHealth health;
  std::chrono::seconds lease{0};  // the lease in force, 0 before the first report
  std::int64_t driver_time = 0;   // the driver's last_updated_time at the last change, Unix seconds
};

struct Transition {
  WallTime at;
  DeviceKey key;
  Health from = Health::kUnknown;
  Health to = Health::kUnknown;
  UnknownReason reason = UnknownReason::kNone;
  std::string message;
  std::string endpoint;  // whose report it was; empty for expiry, reboot and the like
};

enum class DriverState {
  kConnecting,   // registered, stream being opened or retried
  kNoData,       // stream open, nothing reported on it yet
  kStreaming,    // stream open and reported on
  kUnsupported,  // offers no health service, or answered Unimplemented
  kOff,          // turned off in the configuration
  kGone,         // was registered once; no endpoint now
};
std::string_view ToString(DriverState state);
std::optional<DriverState> ParseDriverState(std::string_view text);

struct DriverRecord {
  std::string name;
  DriverState state = DriverState::kConnecting;
  std::string endpoint;  // of the authoritative endpoint
  std::string service;   // "v1.DRAResourceHealth" and the like
  WallTime since;        // since when `state`
  std::int64_t streams_opened = 0;
  std::int64_t streams_ended = 0;  // flaps: not caused by us
  std::string last_error;

  bool operator==(const DriverRecord&) const = default;
  bool offers_health() const {
    return state != DriverState::kUnsupported && state != DriverState::kOff;
  }
};

// How the field of a pod stands, and who holds it.
enum class FieldState {
  kPending,    // nothing sent yet, or being sent
  kOwn,        // ours: our writes stick
  kDeferred,   // the kubelet's: it says the same, or we leave it to it
  kContested,  // our writes are taken away by another writer
  kDropped,    // the API server does not keep the field (feature gate off)
  kNone,       // nothing to publish: no driver of the pod offers health
};
std::string_view ToString(FieldState state);
std::optional<FieldState> ParseFieldState(std::string_view text);

struct PodRecord {
  std::string uid;
  std::string namespace_name;
  std::string name;
  FieldState field = FieldState::kPending;
  std::optional<Health> condition;  // what the pod's condition says; none before the first patch
  std::string reason;
  std::string message;
  WallTime first_seen;
  std::optional<WallTime> last_published;
  std::optional<WallTime> ended;
  std::optional<WallTime> deleted;
  std::string last_error;

  bool operator==(const PodRecord&) const = default;
  std::optional<WallTime> over() const { return ended ? ended : deleted; }
};

// What a pod that has ended says of a device.
struct LastHealth {
  DeviceHealth health;
  bool counts = true;  // its driver offered health, so the pod's condition depends on it
  bool closed =
      false;  // no report changes it: the pod ended with this fault, or another has it now

  bool operator==(const LastHealth&) const = default;
};

struct AllocationRecord {
  std::string pod_uid;
  std::string container;
  std::string pod_claim;  // the name in spec.resourceClaims, or "" for extended resources
  std::string claim;      // the ResourceClaim
  std::string request;
  DeviceKey key;
  std::string share_id;
  WallTime from;
  std::optional<WallTime> to;
  std::optional<LastHealth> last;  // once the pod has ended
};

struct ContainerRecord {
  std::string pod_uid;
  std::string container;
  ContainerKind kind = ContainerKind::kContainer;
  ContainerRun run;

  bool operator==(const ContainerRecord&) const = default;
};

// From the last sign of life of one agent to the start of the next: what happened meanwhile was
// learned later or never.
struct AbsenceRecord {
  WallTime from;
  WallTime to;

  bool operator==(const AbsenceRecord&) const = default;
};

// What a device is called by CDI, as the kubelet told.
struct CdiIdRecord {
  DeviceKey key;
  std::string cdi_id;  // fully qualified: vendor.com/class=name
};

// Where the field says something else of a device than we would, while it is the kubelet's.
struct FieldDifference {
  std::string container;
  std::string entry;             // claim:NAME or claim:NAME/REQUEST
  std::string resource_id;       // ours where both have one; empty: the entry as a whole
  std::optional<Health> ours;    // none: no claim of the pod holds such a device
  std::optional<Health> theirs;  // none: the field does not name it
  std::string our_message;
  std::string their_message;
  std::string reason;

  bool operator==(const FieldDifference&) const = default;
};

// All of a pod's differences, instead of those before.
struct FieldDifferences {
  std::string pod_uid;
  std::vector<std::pair<FieldDifference, WallTime>> differences;  // each with its since
};

// Says at most every 10 s that the agent was alive: the basis of leases after a restart.
struct AliveRecord {
  std::string boot_id;
  BootTime boot;
  WallTime wall;
};

// Removes a device's current state (neither reported nor allocated for the retention time).
struct ForgetDevice {
  DeviceKey key;
};

// Ends every open allocation of a pod.
struct EndAllocations {
  std::string pod_uid;
  WallTime at;
};

// One write; a batch of them is one transaction. Put-like writes replace the row with the same key
// (device key, driver name, pod uid, all of pod_uid/container/pod_claim/request/key/share_id, or
// pod_uid/container/restart).
using StoreWrite = std::variant<DeviceRecord, Transition, DriverRecord, PodRecord, AllocationRecord,
                                AliveRecord, ForgetDevice, EndAllocations, CdiIdRecord,
                                FieldDifferences, ContainerRecord, AbsenceRecord>;

// What the agent reads back at its start.
struct StoredState {
  std::optional<AliveRecord> alive;
  std::vector<DeviceRecord> devices;
  std::vector<DriverRecord> drivers;
  std::vector<PodRecord> pods;                // those not deleted
  std::vector<AllocationRecord> allocations;  // the open ones
  std::vector<CdiIdRecord> cdi_ids;
  std::vector<ContainerRecord> containers;  // the last two runs of each container of these pods
};

}  // namespace dra_health

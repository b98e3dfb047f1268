#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/container_run.h"
#include "model/device.h"

namespace dra_health {

// One `resources[]` element of allocatedResourcesStatus.
struct ResourceHealth {
  std::string resource_id;
  Health health = Health::kUnknown;
  std::string message;  // empty: absent

  auto operator<=>(const ResourceHealth&) const = default;
};

// One `allocatedResourcesStatus[]` entry whose name begins with "claim:".
struct ResourceStatus {
  std::string name;
  std::vector<ResourceHealth> resources;

  auto operator<=>(const ResourceStatus&) const = default;
};

// One element of a container's `resources.claims`; an empty request means all of the claim's.
struct ContainerClaim {
  std::string name;
  std::string request;
};

struct Container {
  std::string name;
  ContainerKind kind = ContainerKind::kContainer;
  std::vector<ContainerClaim> claims;
};

// spec.resourceClaims[]. The name of the ResourceClaim is in the spec (direct) or in
// status.resourceClaimStatuses (made from a template), which can be incomplete at any moment.
struct PodClaim {
  std::string name;
  std::optional<std::string> claim_name;
};

// status.extendedResourceClaimStatus: extended resources that DRA backs (since 1.37).
struct ExtendedResourceClaim {
  struct Mapping {
    std::string container;
    std::string request;
  };
  std::string claim_name;
  std::vector<Mapping> mappings;
};

// Where a container status stands: status.containerStatuses or status.initContainerStatuses.
struct StatusPath {
  bool init = false;
  std::size_t index = 0;

  auto operator<=>(const StatusPath&) const = default;
};

struct ContainerStatus {
  std::string name;
  StatusPath path;
  std::vector<ResourceStatus> claim_entries;  // sorted by name, resources by ID
  // The whole allocatedResourcesStatus list as JSON text, kept only when entries that are not
  // claims (device plugins') are in it, to be written back unchanged and tested against.
  std::string raw_list;
  std::vector<ContainerRun> runs;  // the one before, and the present or last one
};

struct ConditionStatus {
  Health summary = Health::kUnknown;  // True: kHealthy, False: kUnhealthy
  std::string reason;
  std::string message;

  bool operator==(const ConditionStatus&) const = default;
};

// The agent's own condition as read from a pod.
struct ObservedCondition {
  std::size_t index = 0;  // in status.conditions
  ConditionStatus status;
  std::string last_transition_time;
};

// The parts of a core/v1 Pod the agent needs, as last read. Immutable once built; shared by
// pointer.
struct Pod {
  std::string uid;
  std::string namespace_name;
  std::string name;
  std::string resource_version;
  bool ended = false;     // phase Succeeded or Failed
  bool deleting = false;  // metadata.deletionTimestamp set
  std::vector<PodClaim> claims;
  std::optional<ExtendedResourceClaim> extended;
  std::vector<Container> containers;
  std::vector<ContainerStatus> statuses;
  bool has_conditions = false;  // status.conditions exists, so one can be appended
  std::optional<ObservedCondition> condition;
};

// The condition's type on the pod.
inline constexpr const char* kConditionType = "dra-health-agent/DevicesHealthy";

}  // namespace dra_health

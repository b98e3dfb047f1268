#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/pod.h"

namespace dra_health {

// What we want one container status to say: exactly these claim entries, sorted by name.
struct ContainerPublication {
  StatusPath path;
  std::string container;
  std::vector<ResourceStatus> entries;

  bool operator==(const ContainerPublication&) const = default;
};

// What we want a pod to say, whole. A container status that is not listed is left as it is.
struct Publication {
  std::vector<ContainerPublication> containers;
  std::optional<ConditionStatus> condition;  // none: the pod shall not carry ours

  bool operator==(const Publication&) const = default;
};

// One request to the API server: make `pod` say `want`. Built from the pod as last read, so that no
// GET is needed; the patch tests what it stands on.
struct PodPatch {
  std::shared_ptr<const Pod> pod;
  Publication want;  // containers already equal to the pod's are left out
  WallTime now;      // becomes lastTransitionTime when the condition's status changes
};

// The same entries, whatever the messages; these are compared too when `with_messages`.
bool SameEntries(const std::vector<ResourceStatus>& a, const std::vector<ResourceStatus>& b,
                 bool with_messages);

}  // namespace dra_health

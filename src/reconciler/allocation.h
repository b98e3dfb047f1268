#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/claim.h"
#include "model/pod.h"

namespace dra_health {

// One device in one container: the link between what a driver reports and what a pod shows.
struct Allocation {
  std::string container;
  ContainerKind kind = ContainerKind::kContainer;
  std::string status_name;  // of the allocatedResourcesStatus entry, as the API server demands it
  std::string pod_claim;    // name in spec.resourceClaims; "" for an extended resource
  std::string claim;        // name of the ResourceClaim
  std::string request;      // as allocated: "req" or "req/subrequest"
  DeviceKey key;
  std::string share_id;

  auto operator<=>(const Allocation&) const = default;
};

// Names of pod claims (spec.resourceClaims[].name) to names of ResourceClaims. The claim behind an
// extended resource stands under kExtendedClaim, which no pod claim can be called.
using ClaimLinks = std::map<std::string, std::string>;
inline constexpr const char* kExtendedClaim = "";

// Adds what this reading of the pod tells. Never unlearns: status.resourceClaimStatuses can lack a
// link at any moment (kubernetes/kubernetes#138407), direct claims stand only in the spec
// (#140036).
void LearnClaimLinks(const Pod& pod, ClaimLinks& links);

// The devices that the pod's containers hold, sorted. Plain init containers are included; they are
// told apart by `kind`. `claim_of` gives the claim behind a link, nullptr while it is not known.
// A result belongs to a container when the container names the claim and no request, or that
// request (the part before "/"); unknown requests are skipped (#139939).
using ClaimLookup = std::function<const Claim*(const std::string& pod_claim)>;
std::vector<Allocation> MapAllocations(const Pod& pod, const ClaimLookup& claim_of);

}  // namespace dra_health

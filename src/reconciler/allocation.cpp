#include "reconciler/allocation.h"

#include <algorithm>
#include <string_view>

namespace dra_health {
namespace {

std::string StatusName(const std::string& claim, const std::string& request) {
  return request.empty() ? "claim:" + claim : "claim:" + claim + "/" + request;
}

// `wanted` empty: all of the claim's requests. Results without a request name belong to any.
bool Matches(const std::string& allocated, const std::string& wanted) {
  if (wanted.empty() || allocated.empty()) return true;
  return std::string_view(allocated).substr(0, allocated.find('/')) == wanted;
}

void Append(const Container& container, const std::string& status_name,
            const std::string& pod_claim, const std::string& request, const Claim& claim,
            std::vector<Allocation>& out) {
  for (const AllocationResult& result : claim.results) {
    if (!Matches(result.request, request)) continue;
    out.push_back({container.name, container.kind, status_name, pod_claim, claim.name,
                   result.request, result.key, result.share_id});
  }
}

}  // namespace

void LearnClaimLinks(const Pod& pod, ClaimLinks& links) {
  for (const PodClaim& claim : pod.claims) {
    if (claim.claim_name) links[claim.name] = *claim.claim_name;
  }
  if (pod.extended) links[kExtendedClaim] = pod.extended->claim_name;
}

std::vector<Allocation> MapAllocations(const Pod& pod, const ClaimLookup& claim_of) {
  std::vector<Allocation> out;
  for (const Container& container : pod.containers) {
    for (const ContainerClaim& wanted : container.claims) {
      if (const Claim* claim = claim_of(wanted.name)) {
        Append(container, StatusName(wanted.name, wanted.request), wanted.name, wanted.request,
               *claim, out);
      }
    }
    const Claim* extended = pod.extended ? claim_of(kExtendedClaim) : nullptr;
    if (extended == nullptr) continue;
    for (const auto& mapping : pod.extended->mappings) {
      if (mapping.container != container.name || mapping.request.empty()) continue;
      Append(container, StatusName(extended->name, mapping.request), kExtendedClaim,
             mapping.request, *extended, out);
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace dra_health

#pragma once

#include <string>
#include <vector>

#include "model/device.h"

namespace dra_health {

// One element of status.allocation.devices.results.
struct AllocationResult {
  std::string request;  // "req" or "req/subrequest"
  DeviceKey key;
  std::string share_id;
};

// The parts of a resource.k8s.io ResourceClaim the agent needs.
struct Claim {
  std::string uid;
  std::string namespace_name;
  std::string name;
  bool allocated = false;
  std::vector<AllocationResult> results;
};

}  // namespace dra_health

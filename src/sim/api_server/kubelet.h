#pragma once

#include <string>

#include "sim/api_server/json.h"

namespace dra_health::sim {

// What a kubelet writes over a pod's status, as measured on kubelets 1.34 and 1.37. Pure: each
// returns the pod as the kubelet would send it; the server then has its say (pod_status.h).

// Gate off: it rebuilds container statuses without the field, and the `claim:` entries go. Entries
// of device plugins are its own and stay.
Json WithoutClaimEntries(Json pod);

// Gate on: it puts its own list in the place of one container's.
Json WithList(Json pod, const std::string& container, const Json& list);

// All containers end: terminated states, phase Failed or Succeeded, and the field gone.
Json Ended(Json pod, int exit_code, const std::string& time);

}  // namespace dra_health::sim

#pragma once

#include <string>

#include "sim/api_server/json.h"

namespace dra_health::sim {

// A running pod on node-1: container "main" with the claim "gpu" (request "req"), the whole claim
// "nic" and a device plugin's resource; a sidecar with "nic"; an ephemeral container.
inline Json SamplePod(const std::string& name = "pod-1") {
  return Json::parse(R"({
    "metadata": {"name": ")" +
                     name + R"(", "namespace": "default"},
    "spec": {
      "nodeName": "node-1",
      "resourceClaims": [{"name": "gpu", "resourceClaimName": "claim-gpu"},
                         {"name": "nic", "resourceClaimName": "claim-nic"}],
      "initContainers": [{"name": "side", "restartPolicy": "Always",
                          "resources": {"claims": [{"name": "nic"}]}}],
      "containers": [{"name": "main", "resources": {
        "requests": {"example.com/fpga": "1", "example.com/ext": "2"},
        "claims": [{"name": "gpu", "request": "req"}, {"name": "nic"}]}}]},
    "status": {
      "phase": "Running",
      "conditions": [{"type": "Ready", "status": "True"}],
      "initContainerStatuses": [{"name": "side", "ready": true}],
      "containerStatuses": [{"name": "main", "ready": true}],
      "ephemeralContainerStatuses": [{"name": "debug", "ready": true}]}})");
}

// allocatedResourcesStatus with one claim entry.
inline Json SampleList(const std::string& health = "Healthy", const std::string& message = "") {
  Json resource = {{"resourceID", "gpu.example.com/pool-a/gpu-0"}, {"health", health}};
  if (!message.empty()) resource["message"] = message;
  Json entry = {{"name", "claim:gpu/req"}, {"resources", Json::array({resource})}};
  return Json::array({entry});
}

// The patch that puts `list` on container status 0.
inline std::string SamplePatch(const Json& list) {
  return Json::array(
             {{{"op", "test"}, {"path", "/status/containerStatuses/0/name"}, {"value", "main"}},
              {{"op", "add"},
               {"path", "/status/containerStatuses/0/allocatedResourcesStatus"},
               {"value", list}}})
      .dump();
}

inline const Json& ListOf(const Json& pod) {
  static const Json kNone;
  const Json& statuses = Member(Member(pod, "status"), "containerStatuses");
  return statuses.empty() ? kNone : Member(statuses[0], "allocatedResourcesStatus");
}

}  // namespace dra_health::sim

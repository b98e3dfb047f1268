#include "tests/patcher/pod_json.h"

#include <gtest/gtest.h>

#include "patcher/pod_reader.h"

namespace dra_health {

nlohmann::json SamplePod() {
  return nlohmann::json::parse(R"({
    "kind": "Pod", "apiVersion": "v1",
    "metadata": {"name": "web", "namespace": "shop", "uid": "uid-1", "resourceVersion": "42",
                 "managedFields": [{"manager": "kubelet", "fieldsV1": {"f:status": {}}}]},
    "spec": {
      "nodeName": "node-1",
      "resourceClaims": [{"name": "gpu", "resourceClaimName": "web-gpu"}],
      "containers": [{"name": "main", "resources": {"claims": [{"name": "gpu"}]}}]
    },
    "status": {
      "phase": "Running",
      "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}],
      "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0}]
    }
  })");
}

nlohmann::json Entry(const std::string& name, const std::string& id, const std::string& health) {
  return {{"name", name}, {"resources", {{{"resourceID", id}, {"health", health}}}}};
}

std::shared_ptr<const Pod> Read(const nlohmann::json& pod) {
  auto read = ReadPod(pod);
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : std::make_shared<Pod>();
}

nlohmann::json Apply(const nlohmann::json& pod, const std::string& patch) {
  return pod.patch(nlohmann::json::parse(patch));
}

}  // namespace dra_health

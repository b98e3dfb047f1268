#pragma once

#include <chrono>
#include <string>

#include "patcher/http_client.h"

namespace dra_health {

// The requests the agent sends, all of them.
HttpRequest GetNode(const std::string& node);
HttpRequest ListPods(const std::string& node);
HttpRequest WatchPods(const std::string& node, const std::string& resource_version,
                      std::chrono::seconds timeout);
HttpRequest GetPod(const std::string& namespace_name, const std::string& name);
HttpRequest GetClaim(const std::string& namespace_name, const std::string& name);
HttpRequest PatchPodStatus(const std::string& namespace_name, const std::string& name,
                           std::string json_patch);

}  // namespace dra_health

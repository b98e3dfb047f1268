#pragma once

#include <chrono>
#include <string>

#include "patcher/http_client.h"

namespace dra_health {

// The requests the agent sends, all of them.
HttpRequest GetNode(const std::string& node);
HttpRequest ListPods(const std::string& node);  // as the server's cache has them
HttpRequest WatchPods(const std::string& node, const std::string& resource_version,
                      std::chrono::seconds timeout);
HttpRequest GetPod(const std::string& namespace_name, const std::string& name);
HttpRequest GetClaim(const std::string& namespace_name, const std::string& name);
HttpRequest PatchPodStatus(const std::string& namespace_name, const std::string& name,
                           std::string json_patch);

// Of `release` alone. An empty node means all; `resource`: mutatingadmissionpolicies and the like.
HttpRequest ListPodsNow(const std::string& node);
HttpRequest DeleteAdmissionPolicy(const std::string& resource, const std::string& name);

}  // namespace dra_health

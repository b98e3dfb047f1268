#pragma once

#include <filesystem>

#include "discovery/discovery.h"
#include "model/settings.h"
#include "observe/options.h"
#include "patcher/api_client.h"

namespace dra_health {

// Everything the agent can be told, checked by whoever fills it in (src/cli for the program).
struct AgentOptions {
  Settings settings;
  DiscoveryOptions discovery;
  ApiOptions api;
  ObserveOptions observe;
  std::filesystem::path store{"/var/lib/dra-health-agent/health.db"};
};

}  // namespace dra_health

#pragma once

#include <string>
#include <vector>

namespace dra_health {

// What a plugin says it is (GetInfo), as sent: any bytes.
struct PluginInfo {
  std::string type;
  std::string name;
  std::string endpoint;
  std::vector<std::string> services;
};

}  // namespace dra_health

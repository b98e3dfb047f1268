#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/api_server/object_store.h"

namespace dra_health::sim {

// What a request is about, in the words of RBAC.
struct Route {
  std::string verb;      // "get", "list", "watch", "patch"; other methods in lower case
  std::string resource;  // "pods", "pods/status", "nodes", "resourceclaims"; "": no resource
  Kind kind = Kind::kPod;
  std::string namespace_name;
  std::string name;  // "": the collection
};

// Never fails: a path that names nothing the server knows has no resource.
Route ParseRoute(const std::string& method, const std::string& path,
                 const std::map<std::string, std::string>& query);

// The value of a query parameter, or "".
std::string QueryValue(const std::map<std::string, std::string>& query, const std::string& name);
bool QueryFlag(const std::map<std::string, std::string>& query, const std::string& name);

}  // namespace dra_health::sim

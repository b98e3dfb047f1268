#include "sim/api_server/route.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace dra_health::sim {

namespace {

std::vector<std::string> Segments(const std::string& path) {
  std::vector<std::string> segments;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '/');) {
    if (!part.empty()) segments.push_back(part);
  }
  return segments;
}

bool TakePrefix(std::vector<std::string>& segments, const std::vector<std::string>& prefix) {
  if (segments.size() < prefix.size()) return false;
  if (!std::equal(prefix.begin(), prefix.end(), segments.begin())) return false;
  segments.erase(segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
  return true;
}

// The resource of what is left of a path: [namespaces/<ns>/]<resource>[/<name>[/status]].
void ParseResource(std::vector<std::string> segments, bool claims, Route& route) {
  if (segments.size() > 2 && segments[0] == "namespaces") {
    route.namespace_name = segments[1];
    segments.erase(segments.begin(), segments.begin() + 2);
  }
  if (segments.empty()) return;
  const std::string& resource = segments[0];
  const bool namespaced = !route.namespace_name.empty();
  if (claims && resource == "resourceclaims") {
    route.kind = Kind::kClaim;
  } else if (!claims && resource == "pods") {
    route.kind = Kind::kPod;
  } else if (!claims && resource == "nodes" && !namespaced) {
    route.kind = Kind::kNode;
  } else {
    return;
  }
  if (segments.size() > 1 && !namespaced && route.kind != Kind::kNode) return;
  if (segments.size() > 3 || (segments.size() == 3 && segments[2] != "status")) return;
  if (segments.size() > 1) route.name = segments[1];
  route.resource = segments.size() == 3 ? resource + "/status" : resource;
}

}  // namespace

Route ParseRoute(const std::string& method, const std::string& path,
                 const std::map<std::string, std::string>& query) {
  Route route;
  route.verb = method;
  std::transform(route.verb.begin(), route.verb.end(), route.verb.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<std::string> segments = Segments(path);
  if (TakePrefix(segments, {"api", "v1"})) {
    ParseResource(std::move(segments), /*claims=*/false, route);
  } else if (TakePrefix(segments, {"apis", "resource.k8s.io", "v1"})) {
    ParseResource(std::move(segments), /*claims=*/true, route);
  }
  if (!route.resource.empty() && route.name.empty() && route.verb == "get") {
    route.verb = QueryFlag(query, "watch") ? "watch" : "list";
  }
  return route;
}

std::string QueryValue(const std::map<std::string, std::string>& query, const std::string& name) {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

bool QueryFlag(const std::map<std::string, std::string>& query, const std::string& name) {
  const std::string value = QueryValue(query, name);
  return value == "true" || value == "1";
}

}  // namespace dra_health::sim

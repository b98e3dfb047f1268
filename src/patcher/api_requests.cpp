#include "patcher/api_requests.h"

#include <cctype>
#include <string_view>
#include <utility>

namespace dra_health {
namespace {

// Names are DNS labels and the like; escaped all the same, since a flag or a watch brings them.
std::string Escape(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 0xF]};
    }
  }
  return out;
}

HttpRequest Get(std::string target) { return {.method = "GET", .target = std::move(target)}; }

// All pods of the node and nothing else: one list or watch costs the server what the node holds.
std::string PodsOf(const std::string& node) {
  return "/api/v1/pods?fieldSelector=spec.nodeName%3D" + Escape(node);
}

std::string PodPath(const std::string& namespace_name, const std::string& name) {
  return "/api/v1/namespaces/" + Escape(namespace_name) + "/pods/" + Escape(name);
}

}  // namespace

HttpRequest GetNode(const std::string& node) { return Get("/api/v1/nodes/" + Escape(node)); }

HttpRequest ListPods(const std::string& node) {
  // resourceVersion=0 is answered from the server's cache, without a read of etcd.
  return Get(PodsOf(node) + "&resourceVersion=0");
}

HttpRequest ListPodsNow(const std::string& node) {
  return Get(node.empty() ? "/api/v1/pods" : PodsOf(node));
}

HttpRequest WatchPods(const std::string& node, const std::string& resource_version,
                      std::chrono::seconds timeout) {
  return Get(PodsOf(node) + "&watch=true&allowWatchBookmarks=true&resourceVersion=" +
             Escape(resource_version) + "&timeoutSeconds=" + std::to_string(timeout.count()));
}

HttpRequest GetPod(const std::string& namespace_name, const std::string& name) {
  return Get(PodPath(namespace_name, name));
}

HttpRequest GetClaim(const std::string& namespace_name, const std::string& name) {
  return Get("/apis/resource.k8s.io/v1/namespaces/" + Escape(namespace_name) + "/resourceclaims/" +
             Escape(name));
}

HttpRequest DeleteAdmissionPolicy(const std::string& resource, const std::string& name) {
  return {.method = "DELETE",
          .target = "/apis/admissionregistration.k8s.io/v1/" + resource + "/" + Escape(name)};
}

HttpRequest PatchPodStatus(const std::string& namespace_name, const std::string& name,
                           std::string json_patch) {
  return {.method = "PATCH",
          .target = PodPath(namespace_name, name) + "/status",
          .content_type = "application/json-patch+json",
          .body = std::move(json_patch)};
}

}  // namespace dra_health

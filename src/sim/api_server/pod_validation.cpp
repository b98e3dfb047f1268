#include "sim/api_server/pod_validation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace dra_health::sim {

namespace {

constexpr std::size_t kMostMessageBytes = 1024;

std::string Quoted(const std::string& text) { return Json(text).dump(); }

std::string Indexed(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

const Json* FindContainer(const Json& containers, const std::string& name) {
  for (const Json& container : containers) {
    if (Text(container, "name") == name) return &container;
  }
  return nullptr;
}

bool IsContainersClaim(const std::string& name, const Json& container) {
  for (const Json& claim : Member(Member(container, "resources"), "claims")) {
    const std::string request = Text(claim, "request");
    const std::string full =
        "claim:" + Text(claim, "name") + (request.empty() ? "" : "/" + request);
    if (name == full) return true;
  }
  return false;
}

// Extended resources that DRA backs are named by the claim the scheduler made for the pod.
bool IsExtendedResource(const std::string& name, const Json& container, const Json& extended) {
  const Json& requests = Member(Member(container, "resources"), "requests");
  for (const Json& mapping : Member(extended, "requestMappings")) {
    const std::string full =
        "claim:" + Text(extended, "resourceClaimName") + "/" + Text(mapping, "requestName");
    if (name == full && Text(mapping, "containerName") == Text(container, "name") &&
        requests.contains(Text(mapping, "resourceName"))) {
      return true;
    }
  }
  return false;
}

void CheckName(const std::string& name, const std::string& field, const Json& container,
               const Json& extended, std::vector<Cause>& causes) {
  if (name.starts_with("claim:")) {
    if (IsContainersClaim(name, container) || IsExtendedResource(name, container, extended)) return;
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: " + Quoted(name) +
                          ": must match one of the container's resource claims as "
                          "'claim:<claimName>/<requestName>' when "
                          "container.resources.claims[*].request is set or 'claim:<claimName>' "
                          "when it is empty",
                      field});
    return;
  }
  if (Member(Member(container, "resources"), "requests").contains(name)) return;
  causes.push_back(
      {"FieldValueInvalid",
       "Invalid value: " + Quoted(name) + ": must match one of the container's resource requests",
       field});
}

void CheckResource(const Json& resource, const std::string& field, std::set<std::string>& seen,
                   std::vector<Cause>& causes) {
  const std::string health = Text(resource, "health");
  if (health != "Healthy" && health != "Unhealthy" && health != "Unknown") {
    causes.push_back({"FieldValueNotSupported",
                      "Unsupported value: " + Quoted(health) +
                          R"(: supported values: "Healthy", "Unhealthy", "Unknown")",
                      field + ".health"});
  }
  if (resource.contains("message")) {
    const std::string message = Text(resource, "message");
    if (message.empty()) {
      causes.push_back({"FieldValueRequired", "Required value: must be non-empty if specified",
                        field + ".message"});
    } else if (message.size() > kMostMessageBytes) {
      causes.push_back(
          {"FieldValueTooLong", "Too long: may not be more than 1024 bytes", field + ".message"});
    }
  }
  const std::string id = Text(resource, "resourceID");
  if (!seen.insert(id).second) {
    causes.push_back(
        {"FieldValueDuplicate", "Duplicate value: " + Quoted(id), field + ".resourceID"});
  }
}

void CheckStatuses(const Json& pod, const char* statuses, const char* containers,
                   std::vector<Cause>& causes) {
  const Json& status = Member(pod, "status");
  std::size_t i = 0;
  for (const Json& container_status : Member(status, statuses)) {
    const std::string list =
        Indexed(std::string("status.") + statuses, i++) + ".allocatedResourcesStatus";
    const Json* container =
        FindContainer(Member(Member(pod, "spec"), containers), Text(container_status, "name"));
    std::size_t j = 0;
    for (const Json& entry : Member(container_status, "allocatedResourcesStatus")) {
      const std::string field = Indexed(list, j++);
      // A status of a container that the spec lacks is let through (kubernetes issue 124915).
      if (container) {
        CheckName(Text(entry, "name"), field + ".name", *container,
                  Member(status, "extendedResourceClaimStatus"), causes);
      }
      std::set<std::string> seen;
      std::size_t k = 0;
      for (const Json& resource : Member(entry, "resources")) {
        CheckResource(resource, Indexed(field + ".resources", k++), seen, causes);
      }
    }
  }
}

}  // namespace

std::vector<Cause> ValidatePodStatus(const Json& pod) {
  std::vector<Cause> causes;
  CheckStatuses(pod, "containerStatuses", "containers", causes);
  CheckStatuses(pod, "initContainerStatuses", "initContainers", causes);
  std::size_t i = 0;
  for (const Json& status : Member(Member(pod, "status"), "ephemeralContainerStatuses")) {
    const std::string field = Indexed("status.ephemeralContainerStatuses", i++);
    if (Member(status, "allocatedResourcesStatus").empty()) continue;
    causes.push_back({"FieldValueForbidden", "Forbidden: must not be specified in container status",
                      field + ".allocatedResourcesStatus"});
  }
  return causes;
}

}  // namespace dra_health::sim

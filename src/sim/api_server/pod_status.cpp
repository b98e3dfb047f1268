#include "sim/api_server/pod_status.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/pod.h"
#include "sim/api_server/pod_validation.h"
#include "sim/api_server/status_answer.h"

namespace dra_health::sim {

namespace {

constexpr const char* kField = "allocatedResourcesStatus";
constexpr const char* kStatusLists[] = {"containerStatuses", "initContainerStatuses",
                                        "ephemeralContainerStatuses"};

// Calls `change(container_status, list's name)` on each container status.
template <typename Change>
void ForEachStatus(Json& pod, Change change) {
  for (const char* list : kStatusLists) {
    if (!Member(pod["status"], list).is_array()) continue;
    for (Json& status : pod["status"][list]) change(status, list);
  }
}

Json Selected(const Json& list, bool claims) {
  Json selected = Json::array();
  for (const Json& entry : list) {
    if (Text(entry, "name").starts_with("claim:") == claims) selected.push_back(entry);
  }
  return selected;
}

// What decoding into Go structs and encoding them again does: null and absent are one.
void DropNulls(Json& value) {
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end();) {
      if (member->is_null()) {
        member = value.erase(member);
      } else {
        DropNulls(*member++);
      }
    }
  } else if (value.is_array()) {
    for (Json& element : value) DropNulls(element);
  }
}

// Lists marked omitempty vanish when they are empty.
void DropEmptyLists(Json& pod) {
  const auto drop = [](Json& object, const char* name) {
    if (const Json& list = Member(object, name); list.is_array() && list.empty())
      object.erase(name);
  };
  ForEachStatus(pod, [&](Json& status, const char*) {
    if (status.contains(kField)) {
      for (Json& entry : status[kField]) drop(entry, "resources");
    }
    drop(status, kField);
  });
  for (const char* list : kStatusLists) drop(pod["status"], list);
  drop(pod["status"], "conditions");
}

bool UsesField(const Json& pod, bool with_message) {
  for (const char* list : kStatusLists) {
    for (const Json& status : Member(Member(pod, "status"), list)) {
      for (const Json& entry : Member(status, kField)) {
        if (!with_message) return true;
        for (const Json& resource : Member(entry, "resources")) {
          if (resource.contains("message")) return true;
        }
      }
    }
  }
  return false;
}

// A gated field that the stored object already uses stays writable (pkg/api/pod/util.go).
void DropDisabled(const Json& old, Json& pod, const PodRules& rules) {
  if (!rules.resource_health_status && !UsesField(old, false)) {
    ForEachStatus(pod, [](Json& status, const char*) { status.erase(kField); });
  }
  if (!rules.resource_health_status_message && !UsesField(old, true)) {
    ForEachStatus(pod, [](Json& status, const char*) {
      if (!status.contains(kField)) return;
      for (Json& entry : status[kField]) {
        if (!entry.contains("resources")) continue;
        for (Json& resource : entry["resources"]) resource.erase("message");
      }
    });
  }
}

bool HasOurCondition(const Json& pod) {
  const Json& conditions = Member(Member(pod, "status"), "conditions");
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
    return Text(condition, "type") == kConditionType;
  });
}

// The policy of manifests/guard: where a container status had `claim:` entries, they stay as they
// were, whatever the node wrote; the node's other entries stand.
void Guard(const Json& old, Json& pod) {
  if (!HasOurCondition(old)) return;
  ForEachStatus(pod, [&](Json& status, const char* list) {
    for (const Json& before : Member(Member(old, "status"), list)) {
      if (Text(before, "name") != Text(status, "name")) continue;
      Json entries = ClaimEntries(Member(before, kField));
      if (entries.empty()) return;
      for (Json& other : EntriesOfOthers(Member(status, kField))) {
        entries.push_back(std::move(other));
      }
      status[kField] = std::move(entries);
      return;
    }
  });
}

// The subresource's view of an update: the spec and most metadata are the old ones.
Json OnlyStatus(const Json& old, const Json& patched) {
  Json pod = old;
  for (const char* name : {"labels", "annotations", "finalizers"}) {
    const Json& value = Member(Member(patched, "metadata"), name);
    if (value.is_null()) {
      pod["metadata"].erase(name);
    } else {
      pod["metadata"][name] = value;
    }
  }
  pod["status"] = Member(patched, "status");
  if (pod["status"].is_null()) pod["status"] = Json::object();
  for (const char* name : {"qosClass", "resourceClaimStatuses", "extendedResourceClaimStatus"}) {
    const Json& before = Member(Member(old, "status"), name);
    if (Member(pod["status"], name).is_null() && !before.is_null()) pod["status"][name] = before;
  }
  return pod;
}

}  // namespace

Json EntriesOfOthers(const Json& list) { return Selected(list, false); }
Json ClaimEntries(const Json& list) { return Selected(list, true); }

tl::expected<Json, ApiResponse> UpdatedPod(const Json& old, const Json& patched, Writer writer,
                                           const PodRules& rules) {
  const std::string name = MetadataText(old, "name");
  const Json& status = Member(patched, "status");
  if (!patched.is_object() || !Member(patched, "metadata").is_object()) {
    return tl::unexpected(Invalid("", "", {{"FieldValueInvalid", "Invalid value", "patch"}}));
  }
  if (auto wrong = status.is_null() ? std::nullopt : UndecodableStatus(status)) {
    return tl::unexpected(
        Invalid("", "", {{"FieldValueInvalid", "Invalid value: " + *wrong, "patch"}}));
  }
  if (MetadataText(patched, "resourceVersion") != MetadataText(old, "resourceVersion")) {
    return tl::unexpected(Conflict("pods", name));
  }
  for (const char* fixed : {"uid", "name", "namespace"}) {
    if (MetadataText(patched, fixed) == MetadataText(old, fixed)) continue;
    return tl::unexpected(Invalid("Pod", name,
                                  {{"FieldValueInvalid", "Invalid value: field is immutable",
                                    std::string("metadata.") + fixed}}));
  }
  Json pod = OnlyStatus(old, patched);
  DropNulls(pod["status"]);
  if (writer == Writer::kNode && rules.guard) Guard(old, pod);
  DropEmptyLists(pod);
  DropDisabled(old, pod, rules);
  if (const auto causes = ValidatePodStatus(pod); !causes.empty()) {
    return tl::unexpected(Invalid("Pod", name, causes));
  }
  return pod;
}

}  // namespace dra_health::sim

#include <array>
#include <string_view>

#include "sim/api_server/pod_validation.h"

namespace dra_health::sim {

namespace {

// The members of `object` that must be text where they are there at all.
template <std::size_t N>
std::optional<std::string> NotText(const Json& object, const std::array<const char*, N>& members,
                                   const std::string& where) {
  if (!object.is_object()) return where + " is not an object";
  for (const char* name : members) {
    const Json& member = Member(object, name);
    if (!member.is_null() && !member.is_string()) return where + "." + name + " is not a string";
  }
  return std::nullopt;
}

// Calls `check(element)` for each element of a list that may be absent.
template <typename Check>
std::optional<std::string> EachOf(const Json& object, const char* name, Check check) {
  const Json& list = Member(object, name);
  if (list.is_null()) return std::nullopt;
  if (!list.is_array()) return std::string(name) + " is not a list";
  for (const Json& element : list) {
    if (auto wrong = check(element)) return wrong;
  }
  return std::nullopt;
}

constexpr std::array<const char*, 1> kNamed = {"name"};
constexpr std::array<const char*, 3> kResource = {"resourceID", "health", "message"};
constexpr std::array<const char*, 6> kCondition = {
    "type", "status", "reason", "message", "lastProbeTime", "lastTransitionTime"};

std::optional<std::string> WrongEntry(const Json& entry) {
  if (auto wrong = NotText(entry, kNamed, "allocatedResourcesStatus")) return wrong;
  return EachOf(entry, "resources",
                [](const Json& resource) { return NotText(resource, kResource, "resources"); });
}

std::optional<std::string> WrongContainerStatus(const Json& status) {
  if (auto wrong = NotText(status, kNamed, "containerStatuses")) return wrong;
  return EachOf(status, "allocatedResourcesStatus", WrongEntry);
}

}  // namespace

std::optional<std::string> UndecodableStatus(const Json& status) {
  if (!status.is_object()) return "status is not an object";
  for (const char* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    if (auto wrong = EachOf(status, list, WrongContainerStatus)) return wrong;
  }
  return EachOf(status, "conditions",
                [](const Json& condition) { return NotText(condition, kCondition, "conditions"); });
}

}  // namespace dra_health::sim

#include "patcher/patch_builder.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace dra_health {
namespace {

using nlohmann::json;

// Limits of the API server's validation, both in bytes (Go len). A condition's message has none of
// its own there; the size is what other writers' experience calls safe.
constexpr std::size_t kMaxResourceMessage = 1024;
constexpr std::size_t kMaxConditionMessage = 32UL * 1024;
constexpr std::string_view kClaimPrefix = "claim:";

json Test(std::string path, json value) {
  return {{"op", "test"}, {"path", std::move(path)}, {"value", std::move(value)}};
}

// In RFC 6902 `add` on a member that exists replaces it.
json Add(std::string path, json value) {
  return {{"op", "add"}, {"path", std::move(path)}, {"value", std::move(value)}};
}

json Remove(std::string path) { return {{"op", "remove"}, {"path", std::move(path)}}; }

// One text over a limit would make this and every later write of the pod fail.
std::string Fit(const std::string& text, std::size_t limit) {
  return CutBytes(Printable(text), limit);
}

json ToJson(const ResourceStatus& entry) {
  json resources = json::array();
  for (const ResourceHealth& resource : entry.resources) {
    json& added = resources.emplace_back(
        json{{"resourceID", resource.resource_id}, {"health", ToString(resource.health)}});
    std::string message = Fit(resource.message, kMaxResourceMessage);
    if (!message.empty()) added["message"] = std::move(message);
  }
  return {{"name", entry.name}, {"resources", std::move(resources)}};
}

bool IsOurs(const json& entry) {
  if (!entry.is_object()) return false;
  const auto name = entry.find("name");
  return name != entry.end() && name->is_string() &&
         name->get_ref<const std::string&>().starts_with(kClaimPrefix);
}

const ContainerStatus* FindStatus(const Pod& pod, const StatusPath& path) {
  const auto found = std::ranges::find(pod.statuses, path, &ContainerStatus::path);
  return found == pod.statuses.end() ? nullptr : &*found;
}

void AddContainer(const Pod& pod, const ContainerPublication& want, json& ops) {
  const ContainerStatus* const has = FindStatus(pod, want.path);
  const std::string base = std::string(want.path.init ? "/status/initContainerStatuses/"
                                                      : "/status/containerStatuses/") +
                           std::to_string(want.path.index);
  const std::string field = base + "/allocatedResourcesStatus";

  json list = json::array();
  for (const ResourceStatus& entry : want.entries) list.push_back(ToJson(entry));
  json old;
  if (has != nullptr && !has->raw_list.empty()) old = json::parse(has->raw_list, nullptr, false);

  const bool nothing_there = has == nullptr || (has->claim_entries.empty() && !old.is_array());
  if (list.empty() && nothing_there) return;
  ops.push_back(Test(base + "/name", want.container));
  if (old.is_array()) {
    // After ours, so that the index in a refusal of the API server is the index in `entries`.
    for (const json& entry : old) {
      if (!IsOurs(entry)) list.push_back(entry);
    }
    ops.push_back(Test(field, std::move(old)));
  }
  ops.push_back(list.empty() ? Remove(field) : Add(field, std::move(list)));
}

std::string_view ConditionStatusText(Health summary) {
  if (summary == Health::kHealthy) return "True";
  return summary == Health::kUnhealthy ? "False" : "Unknown";
}

json ToJson(const ConditionStatus& status, const std::string& last_transition_time) {
  return {{"type", kConditionType},
          {"status", ConditionStatusText(status.summary)},
          {"reason", status.reason},
          {"message", status.message},
          {"lastTransitionTime", last_transition_time}};
}

void ReplaceCondition(const ObservedCondition& has, const std::optional<ConditionStatus>& want,
                      WallTime now, json& ops) {
  if (want == has.status) return;
  const std::string path = "/status/conditions/" + std::to_string(has.index);
  ops.push_back(Test(path + "/type", kConditionType));
  if (!want) {
    ops.push_back(Remove(path));
    return;
  }
  const bool moved = want->summary != has.status.summary || has.last_transition_time.empty();
  json value = ToJson(*want, moved ? FormatTime(now) : has.last_transition_time);
  ops.push_back({{"op", "replace"}, {"path", path}, {"value", std::move(value)}});
}

// Two writers that both append would leave two conditions of one type: hence the resource version.
void AppendCondition(const Pod& pod, const ConditionStatus& want, WallTime now, json& ops) {
  ops.push_back(Test("/metadata/resourceVersion", pod.resource_version));
  json value = ToJson(want, FormatTime(now));
  ops.push_back(pod.has_conditions ? Add("/status/conditions/-", std::move(value))
                                   : Add("/status/conditions", json::array({std::move(value)})));
}

}  // namespace

std::string BuildPatch(const PodPatch& patch, int indent) {
  const Pod& pod = *patch.pod;
  json ops = json::array({Test("/metadata/uid", pod.uid)});
  for (const ContainerPublication& container : patch.want.containers) {
    AddContainer(pod, container, ops);
  }
  std::optional<ConditionStatus> condition = patch.want.condition;
  if (condition) condition->message = Fit(condition->message, kMaxConditionMessage);
  if (pod.condition) {
    ReplaceCondition(*pod.condition, condition, patch.now, ops);
  } else if (condition) {
    AppendCondition(pod, *condition, patch.now, ops);
  }
  // Names come from drivers too: bytes that are no UTF-8 must not throw.
  return ops.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace dra_health

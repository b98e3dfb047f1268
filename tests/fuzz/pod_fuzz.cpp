// A pod: whatever it looks like, the patch built from it applies, says what was wanted and touches
// nothing else.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "patcher/json_node.h"
#include "patcher/patch_builder.h"
#include "patcher/pod_reader.h"
#include "tests/fuzz/fuzz.h"

namespace dra_health {
namespace {

using nlohmann::json;

constexpr WallTime kNow{std::chrono::seconds{1'800'000'000}};
constexpr const char* kLists[] = {"containerStatuses", "initContainerStatuses"};

bool IsOurs(const json& entry) {
  const auto name = entry.find("name");
  return name != entry.end() && name->get<std::string>().starts_with("claim:");
}

// Takes what belongs to the agent out of a pod; what is left is others'.
json WithoutOurs(json pod) {
  json& status = pod["status"];
  for (const char* list : kLists) {
    if (!status.contains(list) || status[list].is_null()) continue;
    for (json& container : status[list]) {
      const auto found = container.find("allocatedResourcesStatus");
      if (found == container.end()) continue;
      json others = json::array();
      if (!found->is_null())
        std::ranges::remove_copy_if(*found, std::back_inserter(others), IsOurs);
      container.erase(found);
      if (!others.empty()) container["others"] = std::move(others);
    }
  }
  json conditions = json::array();
  if (const auto found = status.find("conditions"); found != status.end() && !found->is_null()) {
    for (const json& condition : *found) {
      if (!condition.is_object() || condition.value("type", json()) != json(kConditionType)) {
        conditions.push_back(condition);
      }
    }
  }
  status["conditions"] = std::move(conditions);
  return pod;
}

std::size_t CountOurConditions(const json& pod) {
  const auto found = pod["status"].find("conditions");
  if (found == pod["status"].end() || found->is_null()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(*found, [](const json& condition) {
    return condition.is_object() && condition.value("type", json()) == json(kConditionType);
  }));
}

Publication Want(const Pod& pod, std::vector<ResourceStatus> entries,
                 std::optional<ConditionStatus> condition) {
  Publication want{.containers = {}, .condition = std::move(condition)};
  for (const ContainerStatus& status : pod.statuses) {
    want.containers.push_back({status.path, status.name, entries});
  }
  return want;
}

void CheckCondition(const json& before, const json& after, const Pod& read,
                    const std::optional<ConditionStatus>& want) {
  const std::size_t had = CountOurConditions(before);
  const std::size_t has = CountOurConditions(after);
  if (!want) {
    Require(has == (had == 0 ? 0 : had - 1), "one condition is taken away", after.dump());
    return;
  }
  Require(has == std::max<std::size_t>(had, 1), "there is one condition more at most",
          after.dump());
  Require(read.condition && read.condition->status == *want, "the condition says what was wanted",
          after.dump());
}

void CheckPatch(const json& server, const std::shared_ptr<const Pod>& pod,
                const Publication& want) {
  const std::string text = BuildPatch({.pod = pod, .want = want, .now = kNow});
  const json patch = json::parse(text, nullptr, /*allow_exceptions=*/false);
  Require(patch.is_array(), "a patch is JSON", text);
  json after;
  try {
    after = server.patch(patch);
  } catch (const json::exception& error) {
    Require(false, error.what(), text);
  }
  const auto read = ReadPod(after);
  Require(read.has_value(), "a patched pod can be read", after.dump());
  for (const ContainerPublication& container : want.containers) {
    const auto& statuses = (*read)->statuses;
    const auto status = std::ranges::find(statuses, container.path, &ContainerStatus::path);
    Require(status != statuses.end() && status->claim_entries == container.entries,
            "a container says what was wanted", after.dump());
  }
  CheckCondition(server, after, **read, want.condition);
  Require(WithoutOurs(server) == WithoutOurs(after), "what others wrote stays", after.dump());
}

// What an API server keeps of a pod and this target builds on.
bool IsServed(const json& document, const Pod& pod) {
  const auto status = document.find("status");
  return !pod.resource_version.empty() && status != document.end() && status->is_object();
}

}  // namespace

void FuzzOne(std::string_view input) {
  const auto pod = ReadPodText(input);
  const json document = ParseJson(input);
  if (!pod) return RequirePrintable(Printable(pod.error().message));
  if (!IsServed(document, **pod)) return;
  const ConditionStatus bad{
      .summary = Health::kUnhealthy, .reason = "DeviceUnhealthy", .message = "gpu-1"};
  const ConditionStatus good{
      .summary = Health::kHealthy, .reason = "AllDevicesHealthy", .message = ""};
  const std::vector<ResourceStatus> entries{
      {.name = "claim:gpu", .resources = {{"d/p/0", Health::kHealthy, ""}}},
      {.name = "claim:nic/req", .resources = {{"d/p/1", Health::kUnhealthy, "Xid 79"}}}};
  CheckPatch(document, *pod, Want(**pod, {}, std::nullopt));
  CheckPatch(document, *pod, Want(**pod, entries, bad));
  CheckPatch(document, *pod, Want(**pod, {}, good));
}

}  // namespace dra_health

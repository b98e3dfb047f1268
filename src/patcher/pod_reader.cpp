#include "patcher/pod_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/rfc3339.h"
#include "patcher/json_node.h"

namespace dra_health {
namespace {

constexpr std::string_view kClaimPrefix = "claim:";

std::vector<PodClaim> ReadClaims(const JsonNode& spec, const JsonNode& status) {
  std::vector<PodClaim> claims;
  const std::vector<JsonNode> made = status["resourceClaimStatuses"].Items();
  for (const JsonNode& claim : spec["resourceClaims"].Items()) {
    PodClaim& added = claims.emplace_back();
    added.name = claim["name"].RequiredText();
    // The spec first: the status never lists direct claims (kubernetes/kubernetes#140036).
    std::string name = claim["resourceClaimName"].Text();
    for (const JsonNode& candidate : made) {
      if (!name.empty()) break;
      if (candidate["name"].Text() == added.name) name = candidate["resourceClaimName"].Text();
    }
    if (!name.empty()) added.claim_name = std::move(name);
  }
  return claims;
}

std::optional<ExtendedResourceClaim> ReadExtended(const JsonNode& node) {
  if (!node.exists()) return std::nullopt;
  ExtendedResourceClaim extended{.claim_name = node["resourceClaimName"].RequiredText()};
  for (const JsonNode& mapping : node["requestMappings"].Items()) {
    extended.mappings.push_back(
        {.container = mapping["containerName"].Text(), .request = mapping["requestName"].Text()});
  }
  return extended;
}

void ReadContainers(const JsonNode& list, bool init, std::vector<Container>& out) {
  for (const JsonNode& node : list.Items()) {
    Container& container = out.emplace_back();
    container.name = node["name"].RequiredText();
    if (init) {
      const bool sidecar = node["restartPolicy"].Text() == "Always";
      container.kind = sidecar ? ContainerKind::kSidecar : ContainerKind::kInit;
    }
    for (const JsonNode& claim : node["resources"]["claims"].Items()) {
      container.claims.push_back({claim["name"].Text(), claim["request"].Text()});
    }
  }
}

ResourceStatus ReadEntry(const JsonNode& node, std::string name) {
  ResourceStatus entry{.name = std::move(name)};
  for (const JsonNode& resource : node["resources"].Items()) {
    entry.resources.push_back(
        {.resource_id = resource["resourceID"].Text(),
         .health = ParseHealth(resource["health"].Text()).value_or(Health::kUnknown),
         .message = resource["message"].Text()});
  }
  // The kubelet writes in the order of a Go map; sorted, order means nothing (#138407).
  std::ranges::sort(entry.resources);
  return entry;
}

// A run that could not be started has the beginning of 1970 for its start.
std::optional<WallTime> ReadTime(const JsonNode& node) {
  const auto time = ParseRfc3339(node.Text());
  return time && *time > WallTime{} ? time : std::nullopt;
}

// The kubelet says no times of a run that the container runtime has lost: there is nothing to keep.
void ReadEndedRun(const JsonNode& node, std::int64_t restart, std::vector<ContainerRun>& out) {
  const auto ended = ReadTime(node["finishedAt"]);
  if (!ended || restart < 0) return;
  out.push_back({.restart = restart,
                 .started = ReadTime(node["startedAt"]),
                 .ended = ended,
                 .exit_code = node["exitCode"].Integer(),
                 .signal = node["signal"].Integer(),
                 .reason = node["reason"].Text()});
}

// While a container waits, restartCount is most often still that of the run before.
std::vector<ContainerRun> ReadRuns(const JsonNode& status) {
  std::vector<ContainerRun> runs;
  const std::int64_t restart = status["restartCount"].Integer();
  const JsonNode running = status["state"]["running"];
  const JsonNode ended = status["state"]["terminated"];
  const bool waits = !running.exists() && !ended.exists();
  const JsonNode before = status["lastState"]["terminated"];
  if (before.exists()) ReadEndedRun(before, waits ? restart : restart - 1, runs);
  if (ended.exists()) ReadEndedRun(ended, restart, runs);
  if (!running.exists()) return runs;
  if (const auto started = ReadTime(running["startedAt"])) {
    runs.push_back({.restart = restart, .started = started});
  }
  return runs;
}

void ReadStatuses(const JsonNode& list, bool init, std::vector<ContainerStatus>& out) {
  std::size_t index = 0;
  for (const JsonNode& node : list.Items()) {
    ContainerStatus& status = out.emplace_back();
    status.name = node["name"].RequiredText();
    status.path = {.init = init, .index = index++};
    status.runs = ReadRuns(node);
    const JsonNode entries = node["allocatedResourcesStatus"];
    for (const JsonNode& entry : entries.Items()) {
      std::string name = entry["name"].Text();
      if (name.starts_with(kClaimPrefix)) {
        status.claim_entries.push_back(ReadEntry(entry, std::move(name)));
      } else if (status.raw_list.empty()) {
        status.raw_list = entries.value()->dump();
      }
    }
    std::ranges::sort(status.claim_entries);
  }
}

Health ReadSummary(const std::string& status) {
  if (status == "True") return Health::kHealthy;
  return status == "False" ? Health::kUnhealthy : Health::kUnknown;
}

std::optional<ObservedCondition> FindCondition(const std::vector<JsonNode>& conditions) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const JsonNode& node = conditions[i];
    if (node["type"].Text() != kConditionType) continue;
    return ObservedCondition{.index = i,
                             .status = {.summary = ReadSummary(node["status"].Text()),
                                        .reason = node["reason"].Text(),
                                        .message = node["message"].Text()},
                             .last_transition_time = node["lastTransitionTime"].Text()};
  }
  return std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const Pod>> ReadPod(const nlohmann::json& json) {
  std::string problem;
  const JsonNode root(json, problem);
  const JsonNode metadata = root["metadata"];
  const JsonNode spec = root["spec"];
  const JsonNode status = root["status"];

  auto pod = std::make_shared<Pod>();
  pod->uid = metadata["uid"].RequiredText();
  pod->namespace_name = metadata["namespace"].RequiredText();
  pod->name = metadata["name"].RequiredText();
  pod->resource_version = metadata["resourceVersion"].Text();
  pod->deleting = metadata["deletionTimestamp"].exists();
  const std::string phase = status["phase"].Text();
  pod->ended = phase == "Succeeded" || phase == "Failed";
  pod->claims = ReadClaims(spec, status);
  pod->extended = ReadExtended(status["extendedResourceClaimStatus"]);
  ReadContainers(spec["containers"], /*init=*/false, pod->containers);
  ReadContainers(spec["initContainers"], /*init=*/true, pod->containers);
  ReadStatuses(status["containerStatuses"], /*init=*/false, pod->statuses);
  ReadStatuses(status["initContainerStatuses"], /*init=*/true, pod->statuses);
  const std::vector<JsonNode> conditions = status["conditions"].Items();
  pod->has_conditions = !conditions.empty();
  pod->condition = FindCondition(conditions);

  if (problem.empty()) return pod;
  return Fail(ErrorKind::kItem,
              "pod " + pod->namespace_name + "/" + pod->name + " cannot be read: " + problem);
}

Result<std::shared_ptr<const Pod>> ReadPodText(std::string_view text) {
  const nlohmann::json json = ParseJson(text);
  if (json.is_discarded()) return Fail(ErrorKind::kItem, "a pod that is not JSON");
  return ReadPod(json);
}

}  // namespace dra_health

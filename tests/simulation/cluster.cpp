#include "cluster.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "patcher/patch_builder.h"

namespace dra_health {
namespace {

std::string TimeIn(const std::string& patch) {
  constexpr std::string_view kKey = "\"lastTransitionTime\":\"";
  const auto at = patch.find(kKey);
  if (at == std::string::npos) return "";
  const auto from = at + kKey.size();
  return patch.substr(from, patch.find('"', from) - from);
}

// Hides a device whose CDI ID an earlier one has, as the real one does.
std::vector<ResourceHealth> KubeletsEntry(
    const std::vector<DeviceKey>& keys, const std::function<Health(const DeviceKey&)>& health_of) {
  std::vector<ResourceHealth> resources;
  for (const DeviceKey& key : keys) {
    const std::string cdi_id = CdiIdOf(key);
    const std::string id = cdi_id.empty() ? ResourceId(key) : cdi_id;
    if (std::ranges::find(resources, id, &ResourceHealth::resource_id) != resources.end()) continue;
    resources.push_back({id, health_of(key), ""});
  }
  std::ranges::sort(resources);
  return resources;
}

}  // namespace

std::string CdiIdOf(const DeviceKey& key) {
  const std::string driver = key.driver.substr(0, key.driver.find('.'));
  if (driver == "gpu") return "cdi.example.com/gpu=" + key.device;
  const bool pair = key.device == "dev-0" || key.device == "dev-1";
  return driver == "nic" && pair ? "cdi.example.com/nic=pair" : "";
}

void Cluster::AddPod(const std::string& name, const std::vector<std::vector<DeviceKey>>& claims) {
  Pod pod;
  pod.uid = "uid-" + std::to_string(next_uid_++);
  pod.namespace_name = "default";
  pod.name = name;
  pod.has_conditions = true;
  Container container{"main", ContainerKind::kContainer, {}};
  auto& held = claims_held_[pod.uid];
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const std::string pod_claim = "gpu-" + std::to_string(i);
    const std::string claim = name + "-" + pod_claim;  // a namesake's claim has the same name
    pod.claims.push_back({pod_claim, claim});
    container.claims.push_back({pod_claim, ""});
    Claim made{pod.uid + "/" + claim, "default", claim, true, {}};
    for (const DeviceKey& key : claims[i]) made.results.push_back({"req", key, ""});
    claims_[claim] = std::make_shared<const Claim>(std::move(made));
    held["claim:" + pod_claim] = claims[i];
  }
  pod.containers.push_back(std::move(container));
  pod.statuses.push_back({"main", {false, 0}, {}, "", {}});
  Put(std::move(pod));
}

void Cluster::EndPod(const std::string& uid, bool release) {
  Pod pod = *pods_.at(uid);
  pod.ended = true;
  for (const PodClaim& claim : pod.claims) {
    if (!release) break;
    Claim released = *claims_.at(*claim.claim_name);
    released.allocated = false;
    released.results.clear();
    claims_[*claim.claim_name] = std::make_shared<const Claim>(std::move(released));
  }
  Put(std::move(pod));
}

void Cluster::TouchPod(const std::string& uid) { Put(Pod(*pods_.at(uid))); }

void Cluster::DeletePod(const std::string& uid) {
  pods_.erase(uid);
  claims_held_.erase(uid);
}

event::PatchDone Cluster::Patch(const PodPatch& patch) {
  event::PatchDone done{patch.pod->uid};
  const auto found = pods_.find(done.uid);
  if (!up) {
    done.outcome = event::PatchOutcome::kRetry;
    done.why = "connection refused";
    return done;
  }
  if (found == pods_.end()) {
    done.outcome = event::PatchOutcome::kGone;
    return done;
  }
  // The tests in a patch: a condition that is added stands on the resource version.
  const Pod& current = *found->second;
  const bool adds = patch.want.condition && !patch.pod->condition;
  if (adds && current.resource_version != patch.pod->resource_version) {
    done.outcome = event::PatchOutcome::kStale;
    return done;
  }
  Pod pod = current;
  for (const ContainerPublication& container : patch.want.containers) {
    if (drops_field) continue;
    auto& entries = pod.statuses.at(container.path.index).claim_entries;
    entries = container.entries;
    for (ResourceStatus& entry : entries) {
      for (ResourceHealth& resource : entry.resources) {
        if (drops_messages) resource.message.clear();
      }
    }
  }
  pod.condition.reset();
  if (patch.want.condition) {
    pod.condition = ObservedCondition{0, *patch.want.condition, TimeIn(BuildPatch(patch))};
    // No time is sent where the condition is not.
    if (pod.condition->last_transition_time.empty() && current.condition) {
      pod.condition->last_transition_time = current.condition->last_transition_time;
    }
  }
  Put(std::move(pod));
  done.outcome = event::PatchOutcome::kApplied;
  done.answer = pods_.at(done.uid);
  return done;
}

std::vector<std::string> Cluster::Tick(const std::function<Health(const DeviceKey&)>& health_of) {
  std::vector<std::string> written;
  for (const auto& [uid, current] : pods_) {
    if (guard && current->condition) continue;
    Pod pod = *current;
    auto& entries = pod.statuses[0].claim_entries;
    entries.clear();
    const bool writes = kubelet_gate && !drops_field && !pod.ended;
    if (writes) {
      for (const auto& [name, keys] : claims_held_.at(uid)) {
        entries.push_back({name, KubeletsEntry(keys, health_of)});
      }
    }
    if (SameEntries(entries, current->statuses[0].claim_entries, false)) continue;
    Put(std::move(pod));
    written.push_back(uid);
  }
  return written;
}

std::shared_ptr<const Pod> Cluster::Find(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->second;
}

std::shared_ptr<const Pod> Cluster::FindByName(const std::string& name) const {
  const auto found =
      std::ranges::find_if(pods_, [&](const auto& entry) { return entry.second->name == name; });
  return found == pods_.end() ? nullptr : found->second;
}

std::shared_ptr<const Claim> Cluster::FindClaim(const std::string& name) const {
  const auto found = claims_.find(name);
  return found == claims_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Pod>> Cluster::Pods() const {
  std::vector<std::shared_ptr<const Pod>> all;
  for (const auto& [uid, pod] : pods_) all.push_back(pod);
  return all;
}

std::vector<DeviceKey> Cluster::DevicesOf(const std::string& uid) const {
  std::vector<DeviceKey> all;
  for (const auto& [name, keys] : ClaimsOf(uid)) all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

const std::map<std::string, std::vector<DeviceKey>>& Cluster::ClaimsOf(
    const std::string& uid) const {
  static const std::map<std::string, std::vector<DeviceKey>> kNone;
  const auto found = claims_held_.find(uid);
  return found == claims_held_.end() ? kNone : found->second;
}

void Cluster::Put(Pod pod) {
  pod.resource_version = std::to_string(++version_);
  const std::string uid = pod.uid;
  pods_[uid] = std::make_shared<const Pod>(std::move(pod));
}

}  // namespace dra_health

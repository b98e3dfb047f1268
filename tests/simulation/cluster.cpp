#include "cluster.h"

#include <algorithm>
#include <utility>

namespace dra_health {

void Cluster::AddPod(const std::string& name, const std::vector<DeviceKey>& devices) {
  Pod pod;
  pod.uid = "uid-" + std::to_string(next_uid_++);
  pod.namespace_name = "default";
  pod.name = name;
  pod.has_conditions = true;
  Container container{"main", ContainerKind::kContainer, {}};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string pod_claim = "gpu-" + std::to_string(i);
    const std::string claim = name + "-" + pod_claim;  // a namesake's claim has the same name
    pod.claims.push_back({pod_claim, claim});
    container.claims.push_back({pod_claim, ""});
    claims_[claim] = std::make_shared<const Claim>(
        Claim{pod.uid + claim, "default", claim, true, {{"req", devices[i], ""}}});
  }
  pod.containers.push_back(std::move(container));
  pod.statuses.push_back({"main", {false, 0}, {}, ""});
  devices_[pod.uid] = devices;
  Put(std::move(pod));
}

void Cluster::EndPod(const std::string& uid) {
  Pod pod = *pods_.at(uid);
  pod.ended = true;
  Put(std::move(pod));
}

void Cluster::TouchPod(const std::string& uid) { Put(Pod(*pods_.at(uid))); }

void Cluster::DeletePod(const std::string& uid) {
  pods_.erase(uid);
  devices_.erase(uid);
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
  if (patch.want.condition) pod.condition = ObservedCondition{0, *patch.want.condition, "then"};
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
    for (std::size_t i = 0; writes && i < pod.claims.size(); ++i) {
      const DeviceKey& key = devices_.at(uid)[i];
      entries.push_back({"claim:" + pod.claims[i].name, {{ResourceId(key), health_of(key), ""}}});
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
  const auto found = devices_.find(uid);
  return found == devices_.end() ? std::vector<DeviceKey>{} : found->second;
}

void Cluster::Put(Pod pod) {
  pod.resource_version = std::to_string(++version_);
  const std::string uid = pod.uid;
  pods_[uid] = std::make_shared<const Pod>(std::move(pod));
}

}  // namespace dra_health

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/claim.h"
#include "model/event.h"
#include "model/pod.h"
#include "model/publication.h"

namespace dra_health {

// The name that the node's kubelet has for a device; "" where its driver gives none. Two devices of
// one driver share theirs.
std::string CdiIdOf(const DeviceKey& key);

// An API server with the pods of one node, and the node's kubelet as the second writer.
class Cluster {
 public:
  bool up = true;
  bool drops_field = false;
  bool drops_messages = false;
  bool guard = false;
  bool kubelet_gate = false;

  // A pod with one container that holds `claims`, each with its devices.
  void AddPod(const std::string& name, const std::vector<std::vector<DeviceKey>>& claims);
  void EndPod(const std::string& uid, bool release);  // its claims, so that another can have them
  void DeletePod(const std::string& uid);
  void TouchPod(const std::string& uid);  // somebody writes what is none of the agent's business

  // What the server makes of a patch. Takes effect at once.
  event::PatchDone Patch(const PodPatch& patch);
  // One tick of the kubelet: the field as it has it, its gate on or off. Returns the pods it wrote.
  std::vector<std::string> Tick(const std::function<Health(const DeviceKey&)>& health_of);

  std::shared_ptr<const Pod> Find(const std::string& uid) const;
  std::shared_ptr<const Pod> FindByName(const std::string& name) const;
  std::shared_ptr<const Claim> FindClaim(const std::string& name) const;
  std::vector<std::shared_ptr<const Pod>> Pods() const;
  std::vector<DeviceKey> DevicesOf(const std::string& uid) const;
  // By the name of the entry in the field: claim:NAME.
  const std::map<std::string, std::vector<DeviceKey>>& ClaimsOf(const std::string& uid) const;

 private:
  void Put(Pod pod);

  std::map<std::string, std::shared_ptr<const Pod>> pods_;                            // by uid
  std::map<std::string, std::map<std::string, std::vector<DeviceKey>>> claims_held_;  // by uid
  std::map<std::string, std::shared_ptr<const Claim>> claims_;
  int version_ = 100;
  int next_uid_ = 1;
};

}  // namespace dra_health

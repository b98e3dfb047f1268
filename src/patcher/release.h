#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/pod.h"
#include "patcher/api_session.h"

namespace dra_health {

// The name of the guard policy and of its binding; see manifests/guard.
inline constexpr const char* kGuardName = "dra-health-agent-guard";

// Gives pods back to their kubelets: takes away what an agent has written. For an agent that will
// not come back, since a guard would keep its last word for ever. Works while an agent runs, but
// that one publishes anew.
//
// Thread: one; each call blocks for some requests. Does not own the session.
class PodRelease {
 public:
  explicit PodRelease(ApiSession& session) : session_(session) {}

  // Deletes the guard's binding and policy; false: there was none. Needs an administrator.
  // Errors: kItem not permitted, kRetry.
  Result<bool> RemoveGuard();

  // The pods that carry the agent's condition, on one node or (empty) on all. A pod that cannot be
  // read is an error of the whole: it may carry it.
  Result<std::vector<std::shared_ptr<const Pod>>> Find(const std::string& node);

  // Takes the condition and all entries of claims away; a pod that is gone counts as released.
  // Errors: kItem not permitted or refused, kRetry.
  Result<void> Release(std::shared_ptr<const Pod> pod);

 private:
  Result<bool> Delete(const std::string& resource);

  ApiSession& session_;
};

}  // namespace dra_health

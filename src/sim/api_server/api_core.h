#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/api_server/fault_queue.h"
#include "sim/api_server/http_message.h"
#include "sim/api_server/object_store.h"
#include "sim/api_server/pod_status.h"
#include "sim/api_server/route.h"

namespace dra_health::sim {

// The API server without a network: requests in, answers out.
//
// Not synchronised, no thread, no clock but the given one: a seeded simulation calls it directly,
// ApiServer puts it behind a lock and a socket. A watch is answered with a WatchStream, which the
// caller pulls from store() after each change.
class ApiCore {
 public:
  explicit ApiCore(const Clock& clock) : store_(clock) {}

  ApiResponse Handle(const ApiRequest& request);

  // What a node writes to a pod's status; false when there is no such pod or it is refused.
  bool WriteAsNode(const std::string& namespace_name, const std::string& name,
                   const std::function<Json(Json)>& change);

  ObjectStore& store() { return store_; }
  const ObjectStore& store() const { return store_; }
  FaultQueue& faults() { return faults_; }
  PodRules& rules() { return rules_; }
  void SetTokens(std::vector<std::string> tokens) { tokens_ = std::move(tokens); }

 private:
  ApiResponse Answer(const ApiRequest& request, const Route& route,
                     std::optional<FaultKind> watch_fault);
  ApiResponse Get(const Route& route) const;
  ApiResponse List(const ApiRequest& request, const Route& route) const;
  ApiResponse Watch(const ApiRequest& request, const Route& route,
                    std::optional<FaultKind> fault) const;
  ApiResponse PatchStatus(const ApiRequest& request, const Route& route);
  bool Authorized(const ApiRequest& request) const;

  ObjectStore store_;
  FaultQueue faults_;
  PodRules rules_;
  std::vector<std::string> tokens_;
};

}  // namespace dra_health::sim

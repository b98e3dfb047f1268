#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/event_queue.h"
#include "model/record.h"

namespace dra_health {

// One List call to the kubelet's PodResources socket, for the CDI IDs of DRA devices: the only
// place where they can be read. Of several IDs of a device the first, as the kubelet has it in a
// resourceID (pkg/kubelet/cm/dra/manager.go).
//
// Thread: main. The owner keeps it until `done` has been called, which happens once, on main, also
// after Cancel.
class PodResourcesCall {
 public:
  // kRetry: nobody there, no answer in time, garbage. kItem: the kubelet does not serve it.
  using Done = std::function<void(Result<std::vector<CdiIdRecord>>)>;

  virtual ~PodResourcesCall() = default;
  static std::unique_ptr<PodResourcesCall> Start(const std::string& socket,
                                                 std::chrono::milliseconds timeout,
                                                 EventQueue& queue, const Done& done);
  virtual void Cancel() = 0;
};

}  // namespace dra_health

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "discovery/pending_call.h"
#include "model/event_queue.h"
#include "model/record.h"

namespace dra_health {

// One List call to the kubelet's PodResources socket, for the CDI IDs of DRA devices: the only
// place where they can be read. Of several IDs of a device the first, as the kubelet has it in a
// resourceID (pkg/kubelet/cm/dra/manager.go).
// kRetry: nobody there, no answer in time, garbage. kItem: the kubelet does not serve it.
std::unique_ptr<PendingCall> ListCdiIds(
    const std::string& socket, std::chrono::milliseconds timeout, EventQueue& queue,
    std::function<void(const Result<std::vector<CdiIdRecord>>&)> done);

}  // namespace dra_health

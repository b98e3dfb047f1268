#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "discovery/pending_call.h"
#include "discovery/plugin_info.h"
#include "model/event_queue.h"

namespace dra_health {

// One GetInfo call on a connection of its own. Never calls NotifyRegistrationStatus.
// kRetry: nobody there, no answer in time, garbage. kItem: a gRPC server, but no plugin.
std::unique_ptr<PendingCall> ProbeInfo(const std::string& socket, std::chrono::milliseconds timeout,
                                       EventQueue& queue,
                                       std::function<void(const Result<PluginInfo>&)> done);

}  // namespace dra_health

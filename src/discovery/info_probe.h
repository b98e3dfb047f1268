#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "discovery/plugin_info.h"
#include "model/event_queue.h"

namespace dra_health {

// One GetInfo call on a connection of its own. Never calls NotifyRegistrationStatus.
//
// Thread: main. The owner keeps it until `done` has been called, which happens once, on main, by
// way of a MainTask, also after Cancel.
class InfoProbe {
 public:
  // kRetry: nobody there, no answer in time, garbage. kItem: a gRPC server, but no plugin.
  using Done = std::function<void(const Result<PluginInfo>&)>;

  virtual ~InfoProbe() = default;
  static std::unique_ptr<InfoProbe> Start(const std::string& socket,
                                          std::chrono::milliseconds timeout, EventQueue& queue,
                                          const Done& done);
  virtual void Cancel() = 0;
};

}  // namespace dra_health

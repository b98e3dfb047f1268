#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "model/event_queue.h"

namespace dra_health {

// One NodeWatchResources call on a connection of its own, for v1 and v1alpha1 alike.
//
// Pushes StreamOpened, then ReportReceived, one at a time: the next is read when the last has been
// taken care of. What is not read stays with the driver, slowed down by HTTP/2 flow control.
//
// Thread: main. The owner keeps it until `ended` has been called, which happens once, on main, by
// way of a MainTask, behind everything the stream has pushed, also after Close.
class HealthStream {
 public:
  struct Options {
    PluginId id = 0;
    std::string endpoint;
    std::string service;
    std::size_t max_report_bytes = 0;
    std::size_t max_devices = 0;
  };
  using Ended = std::function<void(const event::StreamEnded&)>;

  virtual ~HealthStream() = default;
  static std::unique_ptr<HealthStream> Start(const Options& options, EventQueue& queue,
                                             Ended ended);

  // Harmless when there is nothing that was read.
  virtual void ReadNext() = 0;
  virtual void Close() = 0;
};

}  // namespace dra_health

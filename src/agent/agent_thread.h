#pragma once

#include <thread>

#include "agent/options.h"
#include "base/unique_fd.h"

namespace dra_health {

// One agent on a thread of its own inside another program (the demo, tests), stopped in order like
// a process that gets SIGTERM. Thread: one owner. REQUIRES: StartHttpThreads was called.
class AgentThread {
 public:
  // What keeps it from starting is logged and shows in `ended_well`.
  explicit AgentThread(const AgentOptions& options);
  ~AgentThread() { Stop(); }
  AgentThread(const AgentThread&) = delete;
  AgentThread& operator=(const AgentThread&) = delete;

  void Stop();
  bool ended_well() const { return ended_well_; }  // after Stop

 private:
  static UniqueFd MakeStopEvent();

  UniqueFd stop_;
  bool ended_well_ = false;  // the thread's until it is joined
  std::thread thread_;
};

}  // namespace dra_health

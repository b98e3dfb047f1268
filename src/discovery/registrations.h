#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error.h"
#include "discovery/plugin_info.h"
#include "discovery/registry_watcher.h"
#include "model/event_queue.h"

namespace dra_health {

// Decides which sockets to ask GetInfo and when, and what the answers mean. Talks to nobody itself.
//
// A socket is asked until it has answered once, then never again: registrars of CSI drivers and
// device plugins share the folder, and an unexpected call can be fatal to them. Each socket waits
// for itself, so any number of dead ones does not delay a live one.
//
// Thread: main.
class Registrations {
 public:
  explicit Registrations(EventQueue& queue) : queue_(queue) {}

  void Found(const FoundSocket& socket, BootTime now);
  // Pushes PluginDeregistered if it was registered.
  void Gone(PluginId id);

  // Those to be asked now. Each is answered by one call of Answered, unless it is gone by then.
  std::vector<FoundSocket> TakeDue(BootTime now);
  // kRetry: ask again later. Any other error: it will never be a plugin; leave it alone.
  void Answered(PluginId id, const Result<PluginInfo>& answer, BootTime now);

  BootTime NextDeadline() const;

 private:
  enum class State { kWaiting, kAsked, kRegistered, kLeftAlone };

  struct Socket {
    std::filesystem::path path;
    State state = State::kWaiting;
    BootTime due;  // in kWaiting
    Backoff backoff;
    bool told_denied = false;
  };

  void Retry(Socket& socket, const std::string& why, BootTime now);
  State Judge(PluginId id, const Socket& socket, const PluginInfo& info);

  EventQueue& queue_;
  std::map<PluginId, Socket> sockets_;
};

}  // namespace dra_health

#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/backoff.h"
#include "base/clock.h"
#include "model/effect.h"
#include "model/event.h"

namespace dra_health {

// What is wrong with the API server, over all pods: says it once, and keeps a fleet of pods from
// knocking at a dead server each on its own. Pure; one thread.
class ApiTrouble {
 public:
  explicit ApiTrouble(std::uint64_t seed);

  // Looks at the outcome of a patch of `pod` (namespace/name). True: the server is back, and nobody
  // needs to wait for it any longer.
  bool Note(const event::PatchDone& done, const std::string& pod, BootTime now, Effects& effects);
  // It may be another server: what was said of the last one is said anew when it is true again.
  void Reconnected();

  // No patch is to be sent before this.
  BootTime paused_until() const { return paused_until_; }
  // How many patches may be under way, of `most`: one while the server only fails.
  std::size_t Room(std::size_t most) const { return away() ? 1 : most; }

  // Adds the notice unless `key` was said before to this server.
  void SayOnce(const std::string& key, effect::Severity severity, std::string text,
               Effects& effects);

 private:
  static constexpr int kFailuresToPause = 3;

  bool away() const { return failures_ >= kFailuresToPause; }
  void Resume();

  int failures_ = 0;                        // in a row
  bool failing_ = false;                    // and the log was told
  std::optional<BootTime> starting_until_;  // it answers, but may not know yet who may do what
  Backoff pause_;
  BootTime paused_until_;
  std::set<std::string> said_;
};

}  // namespace dra_health

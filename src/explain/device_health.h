#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/history.h"
#include "model/record.h"

namespace dra_health {

// How long a device was what it was.
struct HealthSpan {
  std::optional<WallTime> from;  // none: before the first change that is known
  std::optional<WallTime> to;    // none: it still is
  Health health = Health::kUnknown;
  UnknownReason reason = UnknownReason::kNone;
  std::string message;

  bool Holds(WallTime time) const { return (!from || *from <= time) && (!to || time < *to); }
  bool Overlaps(WallTime begin, WallTime end) const {
    return (!from || *from < end) && (!to || begin < *to);
  }
};

// What is known of one device, in order of time and without gaps once something is known.
// `transitions` may be those of others too, oldest first; `now` is null for a device that the store
// has no state of.
std::vector<HealthSpan> HealthOf(const DeviceKey& key, const std::vector<Transition>& transitions,
                                 const DeviceRecord* now);

// Times at which no agent was there, the last one maybe without an end. An agent leaves a sign of
// life every 10 s, so one that has left none for longer is not there.
struct Away {
  WallTime from;
  std::optional<WallTime> to;

  bool Holds(WallTime time) const { return from <= time && (!to || time < *to); }
  bool Overlaps(WallTime begin, WallTime end) const { return from < end && (!to || begin < *to); }
};
std::vector<Away> AwayTimes(const Presence& presence, WallTime now);

// Since when none is there; none: one is. WallTime::min(): there never was one.
std::optional<WallTime> GoneSince(const std::vector<Away>& away);

}  // namespace dra_health

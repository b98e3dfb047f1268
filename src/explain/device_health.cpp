#include "explain/device_health.h"

namespace dra_health {
namespace {

// Three signs of life, so that a slow moment is no absence.
constexpr std::chrono::seconds kSilence{30};

}  // namespace

std::vector<HealthSpan> HealthOf(const DeviceKey& key, const std::vector<Transition>& transitions,
                                 const DeviceRecord* now) {
  std::vector<HealthSpan> spans;
  for (const Transition& transition : transitions) {
    if (transition.key != key) continue;
    if (spans.empty()) {
      const bool unknown = transition.from == Health::kUnknown;
      spans.push_back({.health = transition.from,
                       .reason = unknown ? UnknownReason::kNeverReported : UnknownReason::kNone});
    }
    spans.back().to = transition.at;
    spans.push_back({.from = transition.at,
                     .health = transition.to,
                     .reason = transition.reason,
                     .message = transition.message});
  }
  if (spans.empty() && now != nullptr) {
    spans.push_back({.from = now->health.since,
                     .health = now->health.health,
                     .reason = now->health.reason,
                     .message = now->health.message});
  }
  return spans;
}

std::vector<Away> AwayTimes(const Presence& presence, WallTime now) {
  std::vector<Away> times;
  for (const AbsenceRecord& absence : presence.absences)
    times.push_back({absence.from, absence.to});
  if (!presence.alive) {
    times.push_back({WallTime::min(), std::nullopt});
  } else if (now - presence.alive->wall > kSilence) {
    times.push_back({presence.alive->wall, std::nullopt});
  }
  return times;
}

std::optional<WallTime> GoneSince(const std::vector<Away>& away) {
  if (away.empty() || away.back().to) return std::nullopt;
  return away.back().from;
}

}  // namespace dra_health

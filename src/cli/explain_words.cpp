#include "cli/explain_words.h"

namespace dra_health {

std::string_view WordsFor(MomentKind kind) {
  switch (kind) {
    case MomentKind::kSeen:
      return "pod first seen";
    case MomentKind::kAllocated:
      return "allocated";
    case MomentKind::kStarted:
      return "started";
    case MomentKind::kEnded:
      return "ended";
    case MomentKind::kTurned:
      return "turned";
    case MomentKind::kPodEnded:
      return "pod ended";
    case MomentKind::kPodDeleted:
      return "pod deleted";
    case MomentKind::kReleased:
      return "released";
    case MomentKind::kAgentLeft:
      return "last seen";
    case MomentKind::kAgentBack:
      return "back";
  }
  return "";
}

std::string_view WordsFor(SpanState state) {
  switch (state) {
    case SpanState::kHealthy:
      return "Healthy";
    case SpanState::kUnhealthy:
      return "Unhealthy";
    case SpanState::kUnknown:
      return "Unknown";
    case SpanState::kRunning:
      return "running";
    case SpanState::kEndedWell:
      return "ran, ended with code 0";
    case SpanState::kEndedBadly:
      return "ran, ended with another code";
    case SpanState::kHeld:
      return "held";
    case SpanState::kAway:
      return "no agent";
  }
  return "";
}

}  // namespace dra_health

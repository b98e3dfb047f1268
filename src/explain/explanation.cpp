#include "explain/explanation.h"

#include <array>
#include <utility>

#include "model/names.h"

namespace dra_health {
namespace {

using namespace std::string_view_literals;

constexpr std::array kMomentNames = {
    std::pair{MomentKind::kSeen, "Seen"sv},
    std::pair{MomentKind::kAllocated, "Allocated"sv},
    std::pair{MomentKind::kStarted, "Started"sv},
    std::pair{MomentKind::kEnded, "Ended"sv},
    std::pair{MomentKind::kTurned, "Turned"sv},
    std::pair{MomentKind::kPodEnded, "PodEnded"sv},
    std::pair{MomentKind::kPodDeleted, "PodDeleted"sv},
    std::pair{MomentKind::kReleased, "Released"sv},
    std::pair{MomentKind::kAgentLeft, "AgentLeft"sv},
    std::pair{MomentKind::kAgentBack, "AgentBack"sv},
};

constexpr std::array kSpanNames = {
    std::pair{SpanState::kHealthy, "Healthy"sv},
    std::pair{SpanState::kUnhealthy, "Unhealthy"sv},
    std::pair{SpanState::kUnknown, "Unknown"sv},
    std::pair{SpanState::kRunning, "Running"sv},
    std::pair{SpanState::kEndedWell, "EndedWell"sv},
    std::pair{SpanState::kEndedBadly, "EndedBadly"sv},
    std::pair{SpanState::kHeld, "Held"sv},
    std::pair{SpanState::kAway, "Away"sv},
};

constexpr std::array kLaneNames = {
    std::pair{Lane::Kind::kDevice, "Device"sv},
    std::pair{Lane::Kind::kContainer, "Container"sv},
    std::pair{Lane::Kind::kPod, "Pod"sv},
    std::pair{Lane::Kind::kAgent, "Agent"sv},
};

constexpr std::array kFindingNames = {
    std::pair{Finding::kUnhealthyBefore, "UnhealthyBefore"sv},
    std::pair{Finding::kUnhealthySameSecond, "UnhealthySameSecond"sv},
    std::pair{Finding::kAgentAway, "AgentAway"sv},
    std::pair{Finding::kNotReported, "NotReported"sv},
    std::pair{Finding::kRecoveredBefore, "RecoveredBefore"sv},
    std::pair{Finding::kUnhealthyAfter, "UnhealthyAfter"sv},
    std::pair{Finding::kHealthy, "Healthy"sv},
    std::pair{Finding::kRunning, "Running"sv},
    std::pair{Finding::kEndNotTold, "EndNotTold"sv},
    std::pair{Finding::kNoDevice, "NoDevice"sv},
    std::pair{Finding::kDevice, "Device"sv},
};

}  // namespace

std::string_view ToString(MomentKind kind) { return NameOf(kMomentNames, kind); }
std::string_view ToString(SpanState state) { return NameOf(kSpanNames, state); }
std::string_view ToString(Lane::Kind kind) { return NameOf(kLaneNames, kind); }
std::string_view ToString(Finding finding) { return NameOf(kFindingNames, finding); }

}  // namespace dra_health

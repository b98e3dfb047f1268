#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/device.h"

namespace dra_health {

// The answer to "what happened to this pod, or this device?", for people and programs alike. Texts
// are as the store has them: whoever shows them makes them fit for the place.

enum class MomentKind {
  kSeen,       // the agent saw the pod for the first time
  kAllocated,  // a pod got the device
  kStarted,    // a container
  kEnded,
  kTurned,  // a device's health, or the reason why it is Unknown
  kPodEnded,
  kPodDeleted,
  kReleased,  // the pod let go of the device
  kAgentLeft,
  kAgentBack,
};
std::string_view ToString(MomentKind kind);  // "Seen", "Allocated", ...

struct TimelineMoment {
  WallTime at;
  MomentKind kind = MomentKind::kSeen;
  std::string subject;           // of a device, container or pod, its name
  std::string text;              // what there is to say besides
  std::optional<Health> health;  // what it turned to
  bool bad = false;              // ended with another code than 0
};

enum class SpanState {
  kHealthy,
  kUnhealthy,
  kUnknown,
  kRunning,  // a container, also where nobody said how it ended
  kEndedWell,
  kEndedBadly,
  kHeld,  // a pod held the device
  kAway,  // no agent was there
};
std::string_view ToString(SpanState state);  // "Healthy", "EndedBadly", ...

struct Span {
  WallTime from;
  WallTime to;
  SpanState state = SpanState::kUnknown;
  std::string text;

  bool operator==(const Span&) const = default;
};

// What is drawn on one line.
struct Lane {
  enum class Kind { kDevice, kContainer, kPod, kAgent };
  Kind kind = Kind::kDevice;
  std::string name;
  std::string detail;
  std::vector<Span> spans;  // later ones lie above earlier ones; where none is, nothing is known

  bool operator==(const Lane&) const = default;
};
std::string_view ToString(Lane::Kind kind);

// What is known to have been the case, by name for programs. None of them is a cause.
enum class Finding {
  kUnhealthyBefore,      // a device had turned Unhealthy before the end
  kUnhealthySameSecond,  // ... in the second of the end: which came first is not known
  kAgentAway,            // no agent was there at the end
  kNotReported,          // the health of a device was Unknown at the end
  kRecoveredBefore,      // a device had been Unhealthy, and was Healthy again at the end
  kUnhealthyAfter,       // a device turned Unhealthy only after the end
  kHealthy,              // nothing is known to have been wrong
  kRunning,              // nothing has ended
  kEndNotTold,           // it is over, and nobody said how it ended
  kNoDevice,             // no device is known
  kDevice,               // about a device, not an end
};
std::string_view ToString(Finding finding);

// A device that a pod held, and how it was last: of a pod that has ended, as the pod goes on
// saying.
struct LastOfDevice {
  std::string name;
  std::string held;              // "held in main by claim gpu"
  std::optional<Health> health;  // none: nothing is recorded
  std::string text;              // why, and what the driver said

  bool operator==(const LastOfDevice&) const = default;
};

struct Verdict {
  Finding finding = Finding::kNoDevice;
  std::string sentence;
};

struct Fact {
  std::string name;
  std::string value;
};

struct Explanation {
  std::string title;  // "Pod jobs/train-0", "Device gpu.example.com/node-1/gpu-0"
  Verdict verdict;
  std::vector<Verdict> earlier;  // of the ends before, newest first
  std::vector<Fact> facts;
  std::vector<LastOfDevice> devices;  // of a pod
  std::vector<std::string> notes;     // what else to know or to ask for
  WallTime from;                      // of the time line
  WallTime to;
  std::vector<Lane> lanes;
  std::vector<TimelineMoment> moments;  // in their order
};

}  // namespace dra_health

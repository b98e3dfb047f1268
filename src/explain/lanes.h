#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/device_health.h"
#include "explain/explanation.h"
#include "model/record.h"

namespace dra_health {

// The part of time that is explained.
struct TimeFrame {
  WallTime from;
  WallTime to;

  bool Holds(WallTime time) const { return from <= time && time <= to; }
};

// The health of a device within the frame, with holes where no agent was there to see.
std::vector<Span> HealthSpans(const std::vector<HealthSpan>& health, const std::vector<Away>& away,
                              const TimeFrame& frame);

// The runs of one container, in their order; `over` is when its pod was, which ends the last one.
std::vector<Span> RunSpans(const std::vector<ContainerRun>& runs, std::optional<WallTime> over,
                           const TimeFrame& frame);

// None where an agent was there all the time.
std::optional<Lane> AgentLane(const std::vector<Away>& away, const TimeFrame& frame);

// A part of it, none where they do not meet.
std::optional<Span> Clipped(Span span, const TimeFrame& frame);

// "driver's words", or why it is Unknown and then them.
std::string TextOf(UnknownReason reason, const std::string& message);

}  // namespace dra_health

#pragma once

#include "explain/verdict.h"

namespace dra_health {

// How a device stood when a run ended. The end is known to the second, a change to the
// millisecond.
struct Standing {
  enum class Kind {
    kUnhealthy,   // had turned Unhealthy before the end
    kSameSecond,  // turned Unhealthy in the second of the end
    kUnknown,     // or nothing is recorded of that time
    kRecovered,   // had been Unhealthy during the run, and was Healthy again
    kHealthy,
  };
  const HeldDevice* device = nullptr;
  Kind kind = Kind::kUnknown;
  const HealthSpan* at_end = nullptr;     // null: nothing is recorded
  const HealthSpan* unhealthy = nullptr;  // of the first two kinds; else the last one of the run
  const HealthSpan* after = nullptr;      // the first Unhealthy after the end, within kAftermath
  bool throughout = false;                // Healthy from the start of the run to its end
};

Standing StandingOf(const HeldDevice& device, const ContainerRun& run);

}  // namespace dra_health

#include "explain/standing.h"

#include <algorithm>

namespace dra_health {

Standing StandingOf(const HeldDevice& device, const ContainerRun& run) {
  using Kind = Standing::Kind;
  const WallTime end = run.ended.value_or(WallTime{});
  const WallTime begin = run.started.value_or(end);
  const WallTime end_of_second = end + std::chrono::seconds{1};
  Standing standing{.device = &device};
  const HealthSpan* same_second = nullptr;
  const HealthSpan* during = nullptr;
  for (const HealthSpan& span : device.health) {
    if (span.Holds(end)) standing.at_end = &span;
    if (span.health != Health::kUnhealthy) continue;
    if (span.from && *span.from >= end_of_second) {
      const bool soon = *span.from <= end + kAftermath;
      if (soon && standing.after == nullptr) standing.after = &span;
    } else if (span.from && *span.from >= end) {
      same_second = &span;
    } else if (span.Holds(end)) {
      standing.unhealthy = &span;
    } else if (span.Overlaps(begin, end)) {
      during = &span;
    }
  }
  const bool healthy = standing.at_end != nullptr && standing.at_end->health == Health::kHealthy;
  if (standing.unhealthy != nullptr) {
    standing.kind = Kind::kUnhealthy;
  } else if (same_second != nullptr) {
    standing.kind = Kind::kSameSecond;
    standing.unhealthy = same_second;
  } else {
    standing.unhealthy = during;
    standing.kind = !healthy            ? Kind::kUnknown
                    : during != nullptr ? Kind::kRecovered
                                        : Kind::kHealthy;
  }
  const auto first_known =
      device.health.empty() ? end_of_second : device.health.front().from.value_or(begin);
  standing.throughout =
      healthy && first_known <= begin && std::ranges::all_of(device.health, [&](const auto& span) {
        return span.health == Health::kHealthy || !span.Overlaps(begin, end);
      });
  return standing;
}

}  // namespace dra_health

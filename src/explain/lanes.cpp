#include "explain/lanes.h"

#include <algorithm>

#include "explain/words.h"

namespace dra_health {
namespace {

SpanState StateOf(Health health) {
  if (health == Health::kUnhealthy) return SpanState::kUnhealthy;
  return health == Health::kHealthy ? SpanState::kHealthy : SpanState::kUnknown;
}

// What is left of `spans` outside of `hole`. What began with the hole was seen as the last of all:
// it stays, as a moment.
std::vector<Span> Without(const std::vector<Span>& spans, const Away& hole) {
  std::vector<Span> left;
  for (const Span& span : spans) {
    if (!hole.Overlaps(span.from, span.to)) {
      left.push_back(span);
      continue;
    }
    if (span.from <= hole.from) left.push_back({span.from, hole.from, span.state, span.text});
    if (hole.to && *hole.to < span.to) left.push_back({*hole.to, span.to, span.state, span.text});
  }
  return left;
}

}  // namespace

std::vector<Span> HealthSpans(const std::vector<HealthSpan>& health, const std::vector<Away>& away,
                              const TimeFrame& frame) {
  std::vector<Span> spans;
  for (const HealthSpan& known : health) {
    if (known.to && *known.to <= frame.from) continue;
    const auto span = Clipped({known.from.value_or(frame.from), known.to.value_or(frame.to),
                               StateOf(known.health), TextOf(known.reason, known.message)},
                              frame);
    if (span) spans.push_back(*span);
  }
  for (const Away& time : away) spans = Without(spans, time);
  return spans;
}

std::vector<Span> RunSpans(const std::vector<ContainerRun>& runs, std::optional<WallTime> over,
                           const TimeFrame& frame) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ContainerRun& run = runs[i];
    const auto next = i + 1 < runs.size() ? runs[i + 1].started : over;
    const std::string which =
        run.restart == 0 ? "" : "restart " + std::to_string(run.restart) + ", ";
    Span span{.from = run.started.value_or(run.ended.value_or(frame.from)),
              .to = run.ended.value_or(next.value_or(frame.to)),
              .state = SpanState::kRunning,
              .text = which + (next ? "how it ended was not told" : "running")};
    if (run.ended) {
      span.state = run.exit_code == 0 ? SpanState::kEndedWell : SpanState::kEndedBadly;
      span.text = which + "ended with " + CodeOf(run);
    }
    if (auto clipped = Clipped(std::move(span), frame)) spans.push_back(*std::move(clipped));
  }
  return spans;
}

std::optional<Lane> AgentLane(const std::vector<Away>& away, const TimeFrame& frame) {
  Lane lane{.kind = Lane::Kind::kAgent, .name = "agent", .detail = "when none was running"};
  for (const Away& time : away) {
    auto span = Clipped({time.from, time.to.value_or(frame.to), SpanState::kAway,
                         "no agent was running: nothing was seen"},
                        frame);
    if (span) lane.spans.push_back(*std::move(span));
  }
  return lane.spans.empty() ? std::nullopt : std::optional(std::move(lane));
}

std::optional<Span> Clipped(Span span, const TimeFrame& frame) {
  if (span.to < frame.from || span.from > frame.to || span.to < span.from) return std::nullopt;
  span.from = std::max(span.from, frame.from);
  span.to = std::min(span.to, frame.to);
  return span;
}

std::string TextOf(UnknownReason reason, const std::string& message) {
  std::string text(ToString(reason));
  if (!text.empty() && !message.empty()) text += ": ";
  return text + message;
}

}  // namespace dra_health

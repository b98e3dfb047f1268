#include "explain/moments.h"

#include <utility>

#include "explain/words.h"

namespace dra_health {

void Moments::Add(TimelineMoment moment) {
  if (!frame_.Holds(moment.at)) return;
  const std::pair place(moment.at, moment.kind);
  moments_.emplace(place, std::move(moment));
}

void Moments::AddTransition(const Transition& transition) {
  std::string text = "from " + std::string(ToString(transition.from)) + " to " +
                     std::string(ToString(transition.to));
  const std::string details = TextOf(transition.reason, transition.message);
  if (!details.empty()) text += ": " + details;
  Add({.at = transition.at,
       .kind = MomentKind::kTurned,
       .subject = ResourceId(transition.key),
       .text = std::move(text),
       .health = transition.to});
}

void Moments::AddRun(const std::string& subject, const ContainerRun& run) {
  const std::string which = run.restart == 0 ? "" : "restart " + std::to_string(run.restart);
  if (run.started) {
    Add({.at = *run.started, .kind = MomentKind::kStarted, .subject = subject, .text = which});
  }
  if (!run.ended) return;
  Add({.at = *run.ended,
       .kind = MomentKind::kEnded,
       .subject = subject,
       .text = (which.empty() ? "" : which + ", ") + "with " + CodeOf(run),
       .bad = run.exit_code != 0});
}

void Moments::AddAway(const Away& away) {
  Add({.at = away.from, .kind = MomentKind::kAgentLeft, .subject = "agent"});
  if (away.to) Add({.at = *away.to, .kind = MomentKind::kAgentBack, .subject = "agent"});
}

std::vector<TimelineMoment> Moments::Take() {
  std::vector<TimelineMoment> moments;
  moments.reserve(moments_.size());
  for (auto& [place, moment] : moments_) moments.push_back(std::move(moment));
  moments_.clear();
  return moments;
}

}  // namespace dra_health

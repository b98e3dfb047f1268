#include "explain/explain_device.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "explain/device_health.h"
#include "explain/lanes.h"
#include "explain/moments.h"
#include "explain/verdict.h"
#include "explain/words.h"

namespace dra_health {
namespace {

std::string NameOf(const PodRecord& pod) { return pod.namespace_name + "/" + pod.name; }

class DeviceExplainer {
 public:
  DeviceExplainer(const DeviceHistory& history, WallTime now)
      : history_(history),
        now_(now),
        away_(AwayTimes(history.presence, now)),
        health_(HealthOf(history.key, history.transitions,
                         history.device ? &*history.device : nullptr)) {
    for (const AllocationRecord& allocation : history.allocations) {
      held_[allocation.pod_uid].push_back(&allocation);
      holders_.emplace(allocation.pod_uid, allocation.container);
    }
    for (const ContainerRecord& record : history.containers) {
      if (holders_.contains({record.pod_uid, record.container})) {
        runs_[record.pod_uid][record.container].push_back(&record);
      }
    }
    frame_ = FindFrame();
  }

  Explanation Explain() const {
    Explanation explanation;
    explanation.title = "Device " + ResourceId(history_.key);
    explanation.verdict = Judge();
    explanation.facts = Facts();
    explanation.from = frame_.from;
    explanation.to = frame_.to;
    explanation.lanes = Lanes();
    explanation.moments = MomentsOfDevice();
    return explanation;
  }

 private:
  TimeFrame FindFrame() const {
    TimeFrame frame{now_, now_};
    if (!history_.transitions.empty()) {
      frame.from = std::min(frame.from, history_.transitions.front().at);
    }
    if (history_.device) frame.from = std::min(frame.from, history_.device->health.since);
    for (const AllocationRecord& allocation : history_.allocations) {
      frame.from = std::min(frame.from, allocation.from);
    }
    for (const auto& [uid, containers] : runs_) {
      for (const auto& [container, runs] : containers) {
        const ContainerRun& first = runs.front()->run;
        frame.from = std::min(frame.from, first.started.value_or(first.ended.value_or(frame.from)));
      }
    }
    return frame;
  }

  Verdict Judge() const {
    std::size_t turns = 0;
    for (const Transition& transition : history_.transitions) {
      turns += transition.to == Health::kUnhealthy ? 1 : 0;
    }
    std::size_t failed = 0;
    std::size_t failed_meanwhile = 0;
    for (const auto& [uid, containers] : runs_) {
      for (const auto& [container, runs] : containers) {
        for (const ContainerRecord* record : runs) {
          if (!record->run.ended || record->run.exit_code == 0) continue;
          ++failed;
          failed_meanwhile += WasUnhealthy(*record->run.ended) ? 1 : 0;
        }
      }
    }
    std::string sentence = Now() + "; in what is recorded it turned Unhealthy " +
                           Counted(turns, "time") + " and " + Counted(history_.pods.size(), "pod") +
                           " held it";
    if (failed > 0) {
      sentence += ", of whose containers " + Counted(failed, "run") +
                  " ended with another code than 0, " +
                  (failed_meanwhile == 0 ? "none" : std::to_string(failed_meanwhile)) +
                  " while it was Unhealthy";
    }
    return {Finding::kDevice, sentence + "."};
  }

  bool WasUnhealthy(WallTime time) const {
    return std::ranges::any_of(health_, [&](const HealthSpan& span) {
      return span.health == Health::kUnhealthy && span.Holds(time);
    });
  }

  std::string Now() const {
    const std::string name = "Device " + ResourceId(history_.key);
    if (health_.empty()) {
      const std::string why =
          WhyNotOffered(history_.key.driver, history_.driver ? &*history_.driver : nullptr);
      return "Nothing is known of the health of device " + ResourceId(history_.key) + Saying(why);
    }
    const HealthSpan& last = health_.back();
    const auto gone = GoneSince(away_);
    std::string text = name + (gone ? " was " : " is ") + std::string(ToString(last.health));
    if (last.from) text += " since " + FormatTime(*last.from);
    if (gone && gone != WallTime::min()) {
      text += " when an agent was last there, at " + FormatTime(*gone);
    }
    if (last.health == Health::kUnknown) return text + ": " + Why(last.reason);
    return text + Saying(last.message);
  }

  std::vector<Fact> Facts() const {
    std::vector<Fact> facts = {{"Driver", history_.key.driver},
                               {"Pool", history_.key.pool},
                               {"Device", history_.key.device}};
    if (history_.driver) {
      facts.push_back({"Driver's state", std::string(ToString(history_.driver->state)) + " since " +
                                             FormatTime(history_.driver->since)});
    }
    std::vector<std::string> now;
    for (const PodRecord& pod : history_.pods) {
      if (HoldsNow(pod)) now.push_back(NameOf(pod));
    }
    facts.push_back({"Held now by", now.empty() ? "no pod" : Listed(now)});
    return facts;
  }

  // A pod that has ended holds nothing any more, though its allocation is open until it is deleted.
  static std::optional<WallTime> ReleasedAt(const PodRecord& pod, const AllocationRecord& held) {
    if (!held.to || !pod.ended) return held.to ? held.to : pod.ended;
    return std::min(*held.to, *pod.ended);
  }

  bool HoldsNow(const PodRecord& pod) const {
    return std::ranges::any_of(held_.at(pod.uid),
                               [&](const auto* held) { return !ReleasedAt(pod, *held); });
  }

  std::vector<Lane> Lanes() const {
    std::vector<Lane> lanes = {
        {Lane::Kind::kDevice, ResourceId(history_.key), "", HealthSpans(health_, away_, frame_)}};
    for (const PodRecord& pod : history_.pods) lanes.push_back(LaneOf(pod));
    if (auto agent = AgentLane(away_, frame_)) lanes.push_back(*std::move(agent));
    return lanes;
  }

  // When it held the device, and above that how its containers ran.
  Lane LaneOf(const PodRecord& pod) const {
    Lane lane{Lane::Kind::kPod, NameOf(pod), "UID " + pod.uid, {}};
    for (const AllocationRecord* held : held_.at(pod.uid)) {
      auto span = Clipped({held->from, ReleasedAt(pod, *held).value_or(frame_.to), SpanState::kHeld,
                           "held in " + held->container},
                          frame_);
      if (span && std::ranges::find(lane.spans, *span) == lane.spans.end()) {
        lane.spans.push_back(*std::move(span));
      }
    }
    const auto over = pod.over();
    const auto containers = runs_.find(pod.uid);
    if (containers == runs_.end()) return lane;
    for (const auto& [container, records] : containers->second) {
      std::vector<ContainerRun> runs;
      for (const ContainerRecord* record : records) runs.push_back(record->run);
      for (Span& span : RunSpans(runs, over, frame_)) {
        span.text = CalledBy(*records.front()) + ": " + span.text;
        lane.spans.push_back(std::move(span));
      }
    }
    return lane;
  }

  std::vector<TimelineMoment> MomentsOfDevice() const {
    Moments moments(frame_);
    for (const Transition& transition : history_.transitions) moments.AddTransition(transition);
    for (const PodRecord& pod : history_.pods) AddPod(pod, moments);
    for (const Away& time : away_) moments.AddAway(time);
    return moments.Take();
  }

  void AddPod(const PodRecord& pod, Moments& moments) const {
    for (const AllocationRecord* held : held_.at(pod.uid)) {
      moments.Add({.at = held->from,
                   .kind = MomentKind::kAllocated,
                   .subject = NameOf(pod),
                   .text = "in " + held->container + " by claim " + held->claim});
      const auto released = ReleasedAt(pod, *held);
      if (!released) continue;
      moments.Add({.at = *released,
                   .kind = MomentKind::kReleased,
                   .subject = NameOf(pod),
                   .text = "in " + held->container});
    }
    const auto containers = runs_.find(pod.uid);
    if (containers == runs_.end()) return;
    for (const auto& [container, records] : containers->second) {
      for (const ContainerRecord* record : records) {
        moments.AddRun(NameOf(pod) + " " + CalledBy(*record), record->run);
      }
    }
  }

  const DeviceHistory& history_;
  WallTime now_;
  std::vector<Away> away_;
  std::vector<HealthSpan> health_;
  std::map<std::string, std::vector<const AllocationRecord*>> held_;  // by pod
  std::set<std::pair<std::string, std::string>> holders_;             // pod and container
  std::map<std::string, std::map<std::string, std::vector<const ContainerRecord*>>> runs_;
  TimeFrame frame_;
};

}  // namespace

Explanation ExplainDevice(const DeviceHistory& history, WallTime now) {
  return DeviceExplainer(history, now).Explain();
}

}  // namespace dra_health

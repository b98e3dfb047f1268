#include "explain/explain_pod.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "explain/device_health.h"
#include "explain/lanes.h"
#include "explain/moments.h"
#include "explain/verdict.h"
#include "explain/words.h"

namespace dra_health {
namespace {

using Runs = std::vector<ContainerRun>;

class PodExplainer {
 public:
  PodExplainer(const PodHistory& history, WallTime now)
      : history_(history),
        pod_(history.pod),
        now_(now),
        away_(AwayTimes(history.presence, now)),
        over_(history.pod.over()) {
    for (const AllocationRecord& allocation : history.allocations) {
      devices_[allocation.key].key = allocation.key;
      held_[allocation.container].insert(allocation.key);
    }
    for (auto& [key, device] : devices_) {
      const auto record = std::ranges::find(history.devices, key, &DeviceRecord::key);
      device.health =
          HealthOf(key, history.transitions, record == history.devices.end() ? nullptr : &*record);
      const auto driver = std::ranges::find(history.drivers, key.driver, &DriverRecord::name);
      device.why_not_offered =
          WhyNotOffered(key.driver, driver == history.drivers.end() ? nullptr : &*driver);
    }
    frame_ = FindFrame();
  }

  Explanation Explain() {
    Explanation explanation;
    explanation.title = "Pod " + pod_.namespace_name + "/" + pod_.name;
    Judge(explanation);
    explanation.facts = Facts();
    explanation.devices = Devices();
    if (!history_.namesakes.empty()) explanation.notes.push_back(NamesakesNote());
    explanation.from = frame_.from;
    explanation.to = frame_.to;
    explanation.lanes = Lanes();
    explanation.moments = MomentsOfPod();
    return explanation;
  }

 private:
  // From the first that is known of it to now; of a pod that is over, to the end and a little more,
  // or to the last change in the aftermath.
  TimeFrame FindFrame() const {
    TimeFrame frame{pod_.first_seen, over_.value_or(now_)};
    for (const auto& allocation : history_.allocations) {
      frame.from = std::min(frame.from, allocation.from);
    }
    for (const auto& [pod_uid, container, kind, run] : history_.containers) {
      for (const auto& time : {run.started, run.ended}) {
        if (!time) continue;
        frame.from = std::min(frame.from, *time);
        frame.to = std::max(frame.to, *time);
      }
    }
    if (!over_) return frame;
    if (pod_.deleted) frame.to = std::max(frame.to, std::min(*pod_.deleted, *over_ + kAftermath));
    if (!history_.transitions.empty()) {
      frame.to = std::max(frame.to, history_.transitions.back().at);
    }
    frame.to = std::max(frame.to, std::min(now_, frame.to + (frame.to - frame.from) / 20));
    return frame;
  }

  std::vector<HeldDevice> DevicesOf(const std::string& container) const {
    std::vector<HeldDevice> devices;
    const auto held = held_.find(container);
    if (held == held_.end()) return devices;
    for (const DeviceKey& key : held->second) devices.push_back(devices_.at(key));
    return devices;
  }

  bool HoldsDevices(const ContainerRecord& record) const {
    return held_.empty() || held_.contains(record.container);
  }

  // The end that is explained first: of the last ones of the containers, that of an ordinary
  // container, then a failed one, then the latest.
  const ContainerRecord* ChooseEnd(const std::vector<const ContainerRecord*>& ends) const {
    std::map<std::string, const ContainerRecord*> last;
    for (const ContainerRecord* end : ends) last[end->container] = end;
    const ContainerRecord* chosen = nullptr;
    const auto rank = [](const ContainerRecord& end) {
      return std::tuple(end.kind == ContainerKind::kContainer, end.run.exit_code != 0,
                        end.run.ended);
    };
    for (const auto& [container, end] : last) {
      if (chosen == nullptr || rank(*end) > rank(*chosen)) chosen = end;
    }
    return chosen;
  }

  void Judge(Explanation& explanation) const {
    std::vector<const ContainerRecord*> ends;
    std::vector<const ContainerRecord*> running;
    for (auto it = history_.containers.begin(); it != history_.containers.end(); ++it) {
      if (!HoldsDevices(*it)) continue;
      const auto next = std::next(it);
      const bool last = next == history_.containers.end() || next->container != it->container;
      // An init container that has done its work is no end of anything while the pod goes on.
      const bool prepared = it->kind == ContainerKind::kInit && it->run.exit_code == 0 && !over_;
      if (it->run.ended && !prepared) ends.push_back(&*it);
      if (!it->run.ended && last && !over_) running.push_back(&*it);
    }
    const ContainerRecord* first = ChooseEnd(ends);
    explanation.verdict = first == nullptr ? WithoutEnd(running) : VerdictOn(*first);
    std::erase(ends, first);
    std::ranges::sort(ends, std::greater{}, [](const ContainerRecord* end) {
      return std::tie(end->run.ended, end->run.restart, end->container);
    });
    for (const ContainerRecord* end : ends) explanation.earlier.push_back(VerdictOn(*end));
  }

  Verdict VerdictOn(const ContainerRecord& end) const {
    return ExplainEnd(end, DevicesOf(end.container), away_);
  }

  Verdict WithoutEnd(const std::vector<const ContainerRecord*>& running) const {
    if (over_) {
      return {Finding::kEndNotTold, "The pod " + std::string(pod_.ended ? "ended" : "was deleted") +
                                        " at " + FormatTime(*over_) +
                                        ", and how its containers ended was not told."};
    }
    if (running.empty()) {
      return {Finding::kRunning, "No container that holds devices is known to have started."};
    }
    std::vector<HeldDevice> devices;
    for (const auto& [key, device] : devices_) devices.push_back(device);
    const std::string who = running.size() == 1 ? CalledBy(*running.front()) : "the pod";
    return ExplainRunning(who, devices, away_, now_);
  }

  std::vector<Fact> Facts() const {
    std::vector<Fact> facts = {{"UID", pod_.uid},
                               {"State", pod_.deleted ? "deleted"
                                         : pod_.ended ? "ended"
                                                      : "present"},
                               {"First seen", FormatTime(pod_.first_seen)}};
    if (pod_.ended) facts.push_back({"Ended", FormatTime(*pod_.ended)});
    if (pod_.deleted) facts.push_back({"Deleted", FormatTime(*pod_.deleted)});
    for (auto it = history_.containers.begin(); it != history_.containers.end(); ++it) {
      const auto next = std::next(it);
      if (next != history_.containers.end() && next->container == it->container) continue;
      std::string name = CalledBy(*it);
      name[0] += 'A' - 'a';
      facts.push_back({std::move(name), StateOf(it->run)});
    }
    return facts;
  }

  std::string StateOf(const ContainerRun& run) const {
    std::string text = run.started ? "started " + FormatTime(*run.started) : "never started";
    if (run.ended) {
      text += ", ended " + FormatTime(*run.ended) + " with " + CodeOf(run);
    } else {
      text += over_ ? ", how it ended was not told" : ", running";
    }
    return run.restart == 0 ? text : text + ", restart " + std::to_string(run.restart);
  }

  std::vector<LastOfDevice> Devices() const {
    std::vector<LastOfDevice> devices;
    for (const auto& [key, device] : devices_) {
      LastOfDevice last{ResourceId(key), HeldBy(key), std::nullopt, device.why_not_offered};
      if (const LastHealth* said = SaidSinceTheEnd(key)) {
        last.health = said->health.health;
        if (said->counts) last.text = TextOf(said->health.reason, said->health.message);
      } else if (const HealthSpan* span = LastSpan(device)) {
        last.health = span->health;
        last.text = TextOf(span->reason, span->message);
      }
      devices.push_back(std::move(last));
    }
    return devices;
  }

  // Null: the pod has not ended, or what it said of the device is not known.
  const LastHealth* SaidSinceTheEnd(const DeviceKey& key) const {
    for (const AllocationRecord& allocation : history_.allocations) {
      if (allocation.key == key && allocation.last) return &*allocation.last;
    }
    return nullptr;
  }

  const HealthSpan* LastSpan(const HeldDevice& device) const {
    if (!over_) return device.health.empty() ? nullptr : &device.health.back();
    return SpanAt(device, *over_);
  }

  std::string NamesakesNote() const {
    std::vector<std::string> items;
    for (const PodRecord& pod : history_.namesakes) {
      items.push_back(pod.uid + (pod.deleted ? " (deleted " + FormatTime(*pod.deleted) + ")"
                                             : " (first seen " + FormatTime(pod.first_seen) + ")"));
    }
    const bool one = items.size() == 1;
    return Counted(items.size(), "other pod") + (one ? " has" : " have") +
           " had this name; --uid explains " + (one ? "it: " : "one of them: ") + Listed(items);
  }

  std::vector<Lane> Lanes() const {
    std::vector<Lane> lanes;
    std::map<std::string, Runs> runs;
    std::map<std::string, std::string> called;
    for (const ContainerRecord& record : history_.containers) {
      runs[record.container].push_back(record.run);
      called[record.container] = CalledBy(record);
    }
    for (const auto& [container, name] : called) {
      lanes.push_back({Lane::Kind::kContainer, name, "", RunSpans(runs[container], over_, frame_)});
    }
    for (const auto& [key, device] : devices_) {
      lanes.push_back(
          {Lane::Kind::kDevice, ResourceId(key), "", HealthSpans(device.health, away_, frame_)});
    }
    if (auto agent = AgentLane(away_, frame_)) lanes.push_back(*std::move(agent));
    return lanes;
  }

  // "container main by claim gpu, request req".
  std::string HeldBy(const DeviceKey& key) const {
    std::vector<std::string> holders;
    for (const AllocationRecord& allocation : history_.allocations) {
      if (allocation.key != key) continue;
      holders.push_back(allocation.container + " by claim " + allocation.claim +
                        (allocation.request.empty() ? "" : ", request " + allocation.request) +
                        (allocation.share_id.empty() ? "" : ", share " + allocation.share_id));
    }
    return "held in " + Listed(holders);
  }

  std::vector<TimelineMoment> MomentsOfPod() const {
    const std::string name = pod_.namespace_name + "/" + pod_.name;
    Moments moments(frame_);
    moments.Add({.at = pod_.first_seen, .kind = MomentKind::kSeen, .subject = name});
    std::set<std::pair<WallTime, DeviceKey>> told;
    for (const AllocationRecord& allocation : history_.allocations) {
      if (!told.emplace(allocation.from, allocation.key).second) continue;
      moments.Add({.at = allocation.from,
                   .kind = MomentKind::kAllocated,
                   .subject = ResourceId(allocation.key),
                   .text = StateAt(devices_.at(allocation.key), allocation.from)});
    }
    for (const ContainerRecord& record : history_.containers) {
      moments.AddRun(CalledBy(record), record.run);
    }
    for (const Transition& transition : history_.transitions) moments.AddTransition(transition);
    for (const Away& time : away_) moments.AddAway(time);
    if (pod_.ended) {
      moments.Add({.at = *pod_.ended, .kind = MomentKind::kPodEnded, .subject = name});
    }
    if (pod_.deleted) {
      moments.Add({.at = *pod_.deleted, .kind = MomentKind::kPodDeleted, .subject = name});
    }
    return moments.Take();
  }

  static const HealthSpan* SpanAt(const HeldDevice& device, WallTime time) {
    const auto span = std::ranges::find_if(
        device.health, [&](const HealthSpan& candidate) { return candidate.Holds(time); });
    return span == device.health.end() ? nullptr : &*span;
  }

  static std::string StateAt(const HeldDevice& device, WallTime time) {
    const HealthSpan* span = SpanAt(device, time);
    if (span == nullptr) return device.why_not_offered;
    return "it was " + std::string(ToString(span->health)) +
           Saying(TextOf(span->reason, span->message));
  }

  const PodHistory& history_;
  const PodRecord& pod_;
  WallTime now_;
  std::vector<Away> away_;
  std::optional<WallTime> over_;  // when the pod was
  std::map<DeviceKey, HeldDevice> devices_;
  std::map<std::string, std::set<DeviceKey>> held_;  // by container
  TimeFrame frame_;
};

}  // namespace

Explanation ExplainPod(const PodHistory& history, WallTime now) {
  return PodExplainer(history, now).Explain();
}

}  // namespace dra_health

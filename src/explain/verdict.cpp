#include "explain/verdict.h"

#include <algorithm>
#include <functional>

#include "explain/standing.h"
#include "explain/words.h"

namespace dra_health {
namespace {

using Kind = Standing::Kind;
using Standings = std::vector<Standing>;

// `span` is null where nothing is recorded.
std::string WhyNotKnown(const HeldDevice& device, const HealthSpan* span) {
  const auto reason = span == nullptr ? UnknownReason::kNone : span->reason;
  const bool said_nothing = span == nullptr || reason == UnknownReason::kNeverReported;
  return said_nothing && !device.why_not_offered.empty() ? device.why_not_offered : Why(reason);
}

std::string NameOf(const HeldDevice& device) { return ResourceId(device.key); }

std::string InBrackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

// Builds the sentence about one end.
class EndSentence {
 public:
  EndSentence(const ContainerRecord& end, const std::vector<HeldDevice>& devices,
              const std::vector<Away>& away)
      : end_(end.run.ended.value_or(WallTime{})),
        run_(end.run),
        who_(CalledBy(end)),
        ended_("ended with " + CodeOf(end.run)) {
    for (const HeldDevice& device : devices) standings_.push_back(StandingOf(device, end.run));
    for (const Away& time : away) {
      if (time.Holds(end_)) away_at_end_ = time;
      if (time.Overlaps(run_.started.value_or(end_), end_)) seen_throughout_ = false;
    }
  }

  Verdict Build() const {
    if (standings_.empty()) {
      return {Finding::kNoDevice,
              "No device is known that " + who_ + " held when it " + ended_ + "."};
    }
    if (Any(Kind::kUnhealthy)) return {Finding::kUnhealthyBefore, Unhealthy() + "."};
    if (Any(Kind::kSameSecond)) return {Finding::kUnhealthySameSecond, SameSecond() + "."};
    if (away_at_end_) return {Finding::kAgentAway, AgentAway() + "."};
    if (Any(Kind::kUnknown)) return {Finding::kNotReported, NotReported() + After() + "."};
    if (Any(Kind::kRecovered)) return {Finding::kRecoveredBefore, Recovered() + After() + "."};
    return Healthy();
  }

 private:
  bool Any(Kind kind) const { return std::ranges::count(standings_, kind, &Standing::kind) > 0; }
  Standings Of(Kind kind) const {
    Standings found;
    std::ranges::copy_if(standings_, std::back_inserter(found),
                         [&](const Standing& standing) { return standing.kind == kind; });
    return found;
  }
  std::string Before(WallTime time) const { return Duration(end_ - time) + " before"; }
  std::string AfterIt(WallTime time) const { return Duration(time - end_) + " after"; }

  // How those stood that the sentence is not about, as its last part.
  std::string Rest(Kind told) const {
    std::size_t healthy = 0;
    std::size_t unknown = 0;
    for (const Standing& standing : standings_) {
      if (standing.kind == told) continue;
      const bool was_healthy = standing.kind != Kind::kSameSecond && standing.at_end != nullptr &&
                               standing.at_end->health == Health::kHealthy;
      ++(was_healthy && !away_at_end_ ? healthy : unknown);
    }
    if (healthy + unknown == 0) return "";
    const std::string others =
        "its other " +
        (healthy + unknown == 1 ? std::string("device") : Counted(healthy + unknown, "device"));
    const char* were = healthy + unknown == 1 ? " was " : " were ";
    if (unknown == 0) return "; " + others + were + "Healthy";
    if (healthy == 0) return "; of " + others + " nothing is known";
    return "; of " + others + " " + std::to_string(healthy) + (healthy == 1 ? " was" : " were") +
           " Healthy and " + std::to_string(unknown) + " not known";
  }

  std::string Unhealthy() const {
    const Standings devices = Of(Kind::kUnhealthy);
    if (devices.size() == 1) return UnhealthyOne(devices.front()) + Rest(Kind::kUnhealthy);
    std::vector<std::string> items;
    for (const Standing& standing : devices) {
      const HealthSpan& span = *standing.unhealthy;
      items.push_back(NameOf(*standing.device) + " " +
                      (span.from ? Before(*span.from) : "longer than is recorded") +
                      InBrackets(span.message));
    }
    return Counted(items.size(), "device") + " had turned Unhealthy before " + who_ + " " + ended_ +
           ": " + Listed(items) + Rest(Kind::kUnhealthy);
  }

  std::string UnhealthyOne(const Standing& standing) const {
    const HealthSpan& span = *standing.unhealthy;
    const std::string device = "Device " + NameOf(*standing.device);
    if (!span.from) {
      return device + " had been Unhealthy for longer than is recorded when " + who_ + " " + ended_;
    }
    if (run_.started && *span.from < *run_.started) {
      return device + " was Unhealthy already when " + who_ + " started, and had been for " +
             Duration(end_ - *span.from) + " when it " + ended_ + Saying(span.message);
    }
    return device + " had turned Unhealthy " + Before(*span.from) + " " + who_ + " " + ended_ +
           Saying(span.message);
  }

  std::string SameSecond() const {
    std::vector<std::string> items;
    for (const Standing& standing : Of(Kind::kSameSecond)) {
      items.push_back(NameOf(*standing.device) + InBrackets(standing.unhealthy->message));
    }
    return std::string(items.size() == 1 ? "Device " : "Devices ") + Listed(items) +
           " turned Unhealthy in the same second in which " + who_ + " " + ended_ +
           ", and which came first is not known" + Rest(Kind::kSameSecond);
  }

  std::string AgentAway() const {
    std::string text = "No agent was running when " + who_ + " " + ended_;
    if (away_at_end_->from != WallTime::min()) text += ", from " + FormatTime(away_at_end_->from);
    if (away_at_end_->to) text += " to " + FormatTime(*away_at_end_->to);
    text += ", so how its devices were then is not known";
    const auto healthy_before = [&](const Standing& standing) {
      return standing.at_end != nullptr && standing.at_end->health == Health::kHealthy;
    };
    if (std::ranges::all_of(standings_, healthy_before))
      text += "; when last seen, all were Healthy";
    return text + After();
  }

  std::string NotReported() const {
    std::vector<std::string> items;
    const Standings devices = Of(Kind::kUnknown);
    for (const Standing& standing : devices) {
      items.push_back((devices.size() == 1 ? "" : NameOf(*standing.device) + ", ") +
                      WhyUnknown(standing));
    }
    const std::string which = devices.size() == 1 ? "device " + NameOf(*devices.front().device)
                                                  : Counted(devices.size(), "device");
    return "Health was not being reported for " + which + " when " + who_ + " " + ended_ + ": " +
           (devices.size() == 1 ? items.front() : Listed(items)) + Rest(Kind::kUnknown);
  }

  std::string WhyUnknown(const Standing& standing) const {
    std::string text = WhyNotKnown(*standing.device, standing.at_end);
    if (standing.at_end == nullptr) return text;
    if (standing.at_end->from) text += ", since " + Before(*standing.at_end->from);
    if (standing.unhealthy != nullptr && standing.unhealthy->to) {
      text += ", and it had been Unhealthy until " + Before(*standing.unhealthy->to) +
              InBrackets(standing.unhealthy->message);
    }
    return text;
  }

  std::string Recovered() const {
    const Standings devices = Of(Kind::kRecovered);
    if (devices.size() > 1) {
      std::vector<std::string> items;
      for (const Standing& standing : devices) {
        items.push_back(NameOf(*standing.device) + " until " + Before(*standing.unhealthy->to) +
                        InBrackets(standing.unhealthy->message));
      }
      return Counted(items.size(), "device") + " had been Unhealthy while " + who_ +
             " ran, and Healthy again when it " + ended_ + ": " + Listed(items) +
             Rest(Kind::kRecovered);
    }
    const Standing& standing = devices.front();
    return "Device " + NameOf(*standing.device) + " had been Unhealthy while " + who_ +
           " ran, until " + Before(*standing.unhealthy->to) + " it " + ended_ +
           ", and was Healthy then" + Saying(standing.unhealthy->message) + Rest(Kind::kRecovered);
  }

  Verdict Healthy() const {
    const bool late = std::ranges::any_of(
        standings_, [](const Standing& standing) { return standing.after != nullptr; });
    const bool throughout =
        seen_throughout_ && std::ranges::all_of(standings_, &Standing::throughout);
    const bool one = standings_.size() == 1;
    std::string text = "Nothing is known to have been wrong when " + who_ + " " + ended_ + ": " +
                       (one ? "its device " + NameOf(*standings_.front().device)
                            : "its " + Counted(standings_.size(), "device"));
    if (throughout) {
      text += " had been Healthy throughout";
    } else {
      text += one ? " was" : " were";
      text += " Healthy then, though not known to have been for all of its run";
    }
    return {late ? Finding::kUnhealthyAfter : Finding::kHealthy, text + After() + "."};
  }

  std::string After() const {
    Standings late;
    std::ranges::copy_if(standings_, std::back_inserter(late),
                         [](const Standing& standing) { return standing.after != nullptr; });
    if (late.empty()) return "";
    if (late.size() == 1) {
      const std::string device = NameOf(*late.front().device);
      return "; " + (standings_.size() == 1 ? "it" : "device " + device) +
             " turned Unhealthy only " + AfterIt(*late.front().after->from) + " that" +
             InBrackets(late.front().after->message);
    }
    std::vector<std::string> items;
    items.reserve(late.size());
    for (const Standing& standing : late) {
      items.push_back(NameOf(*standing.device) + " " + AfterIt(*standing.after->from) +
                      InBrackets(standing.after->message));
    }
    return "; turned Unhealthy only after that: " + Listed(items);
  }

  WallTime end_;
  const ContainerRun& run_;
  std::string who_;
  std::string ended_;
  Standings standings_;
  std::optional<Away> away_at_end_;
  bool seen_throughout_ = true;
};

std::string Capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

}  // namespace

std::string CalledBy(const ContainerRecord& record) {
  switch (record.kind) {
    case ContainerKind::kContainer:
      break;
    case ContainerKind::kSidecar:
      return "sidecar " + record.container;
    case ContainerKind::kInit:
      return "init container " + record.container;
  }
  return "container " + record.container;
}

Verdict ExplainEnd(const ContainerRecord& end, const std::vector<HeldDevice>& devices,
                   const std::vector<Away>& away) {
  return EndSentence(end, devices, away).Build();
}

Verdict ExplainRunning(const std::string& who, const std::vector<HeldDevice>& devices,
                       const std::vector<Away>& away, WallTime now) {
  if (devices.empty()) return {Finding::kNoDevice, "No device is known that " + who + " holds."};
  const auto gone = GoneSince(away);
  const bool never_seen = gone == WallTime::min();
  std::vector<std::string> unhealthy;
  std::vector<std::string> unknown;
  for (const HeldDevice& device : devices) {
    const HealthSpan* last = device.health.empty() ? nullptr : &device.health.back();
    if (last == nullptr || last->health == Health::kUnknown) {
      unknown.push_back(NameOf(device) + " (" + WhyNotKnown(device, last) + ")");
    } else if (last->health == Health::kUnhealthy) {
      unhealthy.push_back(
          NameOf(device) +
          (last->from && !never_seen ? " for " + Duration(gone.value_or(now) - *last->from) : "") +
          InBrackets(last->message));
    }
  }
  const std::size_t healthy = devices.size() - unhealthy.size() - unknown.size();
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!unhealthy.empty()) add("Unhealthy: " + Listed(unhealthy));
  if (!unknown.empty()) add("not known: " + Listed(unknown));
  if (healthy == devices.size()) {
    add(healthy == 1
            ? std::string("its device ") + (gone ? "was" : "is") + " Healthy"
            : "its " + Counted(healthy, "device") + (gone ? " were" : " are") + " Healthy");
  } else if (healthy > 0) {
    add(std::to_string(healthy) + " of " + Counted(devices.size(), "device") + " Healthy");
  }
  std::string begin = Capital(who) + " is running";
  if (never_seen) {
    begin = "No agent has left a sign of life, and what is known of " + who + " is this";
  } else if (gone) {
    begin =
        Capital(who) + " was running at " + FormatTime(*gone) + ", when an agent was last there";
  } else if (unhealthy.empty() && unknown.empty()) {
    begin += " and nothing is known to be wrong";
  }
  return {Finding::kRunning,
          begin + (unhealthy.empty() && unknown.empty() ? ": " : "; ") + text + "."};
}

}  // namespace dra_health

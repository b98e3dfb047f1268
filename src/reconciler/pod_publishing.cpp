// What pods shall say and whether they do; what they hold is in pod_table.cpp.

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "reconciler/pod_table.h"

namespace dra_health {
namespace {

using effect::Severity;

// So many answers of this kind in a row are no coincidence any more (each counts twice).
constexpr int kStaleToTell = 10;

constexpr const char* kClaimsUnread = "not all of the pod's claims could be read yet";

}  // namespace

void PodTable::Settle(Moment now, Effects& effects) {
  cdi_.Tick(now.boot, effects);
  SettleLateReports(effects);
  while (!wakes_.empty() && wakes_.begin()->first <= now.boot) {
    const std::string uid = wakes_.begin()->second;
    SetWake(uid, pods_.at(uid), BootTime::max());
    Queue(uid);
  }
  const std::size_t room = trouble_.Room(settings_.max_patches_in_flight);
  while (!queue_.empty() && in_flight_ < room && trouble_.paused_until() <= now.boot) {
    const std::string uid = std::move(queue_.front());
    queue_.pop_front();
    const auto found = pods_.find(uid);
    if (found == pods_.end()) continue;
    Entry& entry = found->second;
    entry.queued = false;
    BootTime wake = ReadDueClaims(entry, now, effects);
    entry.publisher.Want(WantOf(entry, now, wake));
    AskToHold(entry, effects);
    if (auto patch = entry.publisher.Next(now, cdi_.names())) {
      ++in_flight_;
      entry.sending = std::exchange(entry.turned, std::nullopt);
      effects.effects.emplace_back(effect::Patch{*std::move(patch)});
    }
    Compare(entry, now, wake, effects);
    SetWake(uid, entry, std::min(wake, entry.publisher.wake_at()));
    // Nothing is left to say: it turned and turned back before it could be sent.
    if (!entry.wake && !entry.publisher.busy()) entry.turned.reset();
    UpdateRecord(entry, now, effects, false);
    if (entry.record.field == FieldState::kContested) {
      trouble_.SayOnce(
          "contested", Severity::kWarning,
          "another writer, most likely the kubelet, takes allocatedResourcesStatus of "
          "pod " +
              FullName(entry.record) +
              " and maybe others away; putting it back at "
              "growing intervals and keeping the condition right. The admission policy in "
              "manifests/guard lets both writers live together",
          effects);
    }
  }
}

std::optional<Publication> PodTable::WantOf(const Entry& entry, Moment now,
                                            BootTime& ask_again) const {
  const auto& said = entry.publisher.want();
  if (entry.late_until && !KnowsLast(entry)) return said;
  bool waiting = !entry.claims.answered();
  bool unhealthy = false;
  for (const Allocation& allocation : entry.allocations) {
    const DeviceHealth health = ViewOf(entry, allocation.key).health;
    unhealthy |= health.health == Health::kUnhealthy;
    if (health.reason != UnknownReason::kNeverReported) continue;
    // After a start, and after a driver's, the first report is on its way: no alarm before it.
    const std::string& driver = allocation.key.driver;
    const BootTime until =
        std::max(started_, drivers_.FirstSeen(driver).value_or(started_)) + settings_.report_grace;
    if (now.boot >= until) continue;
    waiting = true;
    ask_again = std::min(ask_again, until);
  }
  // What was said before all is known must not stand when it is not so any more.
  if (waiting && !unhealthy && !(said && said->condition)) return said;
  Publication publication =
      BuildPublication(entry.publisher.pod(), entry.allocations,
                       [&](const DeviceKey& key) { return ViewOf(entry, key); });
  auto& condition = publication.condition;
  if (condition && condition->summary == Health::kHealthy && !entry.claims.answered()) {
    *condition = {Health::kUnknown, "DeviceHealthUnknown", kClaimsUnread};
  }
  return publication;
}

PublishedDevice PodTable::ViewOf(const Entry& entry, const DeviceKey& key) const {
  PublishedDevice view;
  view.resource_id = cdi_.ResourceIdOf(key);
  if (const auto last = entry.last.find(key); last != entry.last.end()) {
    view.health = last->second.health;
    view.counts = last->second.counts;
    return view;
  }
  const auto offer = drivers_.OfferOf(key.driver);
  if (offer == DriverTable::Offer::kNo) {
    view.health.reason = UnknownReason::kNotSupported;
    view.counts = false;
    return view;
  }
  if (const DeviceHealth* health = devices_.Find(key)) view.health = *health;
  // A driver that this agent has never seen offers nothing, unless the pod says that it did once.
  view.counts = offer == DriverTable::Offer::kYes || entry.publisher.pod().condition.has_value();
  return view;
}

void PodTable::AskToHold(Entry& entry, Effects& effects) {
  const auto& want = entry.publisher.want();
  if (!want) return;
  const std::string& uid = entry.record.uid;
  const bool healthy = want->condition && want->condition->summary == Health::kHealthy;
  if (want->condition && !entry.late_until) {
    entry.publisher.Hold(held_.Ask(uid, healthy));
  } else {
    // A pod that has ended keeps what it says, and running pods need the room.
    held_.Remove(uid);
    if (want->condition && !held_.Allowed(healthy)) entry.publisher.Hold(false);
  }
  for (const std::string& other : held_.TakeChanged()) Queue(other);
  if (held_.full()) {
    trouble_.SayOnce("held", Severity::kWarning,
                     "more than " + std::to_string(settings_.max_held_pods) +
                         " pods hold devices: the others get the condition without "
                         "allocatedResourcesStatus (--max-held-pods)",
                     effects);
  }
}

void PodTable::Handle(const event::PatchDone& event, Moment now, Effects& effects) {
  --in_flight_;
  const auto found = pods_.find(event.uid);
  if (found == pods_.end()) return;
  Entry& entry = found->second;
  const std::string name = FullName(entry.record);
  MeasureLatency(entry, event, now.boot, effects);
  if (trouble_.Note(event, name, now.boot, effects)) RetryAll();
  entry.record.last_error =
      event.outcome == event::PatchOutcome::kApplied ? "" : CutBytes(event.why, kMaxStoredMessage);
  const auto reaction = entry.publisher.Done(event, now.boot);
  // The answer may be the only picture of the pod with a run in it: older ones are ignored.
  entry.runs.Learn(entry.publisher.pod(), effects.writes);
  switch (reaction) {
    case Publisher::Reaction::kNone:
      break;
    case Publisher::Reaction::kReread:
      effects.effects.emplace_back(
          effect::ReadPod{entry.record.namespace_name, entry.record.name, event.uid});
      if (entry.publisher.failures() >= kStaleToTell) {
        trouble_.SayOnce("stale " + event.uid, Severity::kWarning,
                         "patches of pod " + name +
                             " keep meeting another picture of it than the "
                             "one that was read, retrying: " +
                             event.why,
                         effects);
      }
      break;
    case Publisher::Reaction::kFieldDropped:
      server_.drops_field = true;
      trouble_.SayOnce("drops field", Severity::kWarning,
                       "the API server does not keep allocatedResourcesStatus (its feature gate "
                       "ResourceHealthStatus is off); publishing the condition alone until it has "
                       "been reconnected to",
                       effects);
      break;
    case Publisher::Reaction::kMessageDropped:
      server_.drops_messages = true;
      trouble_.SayOnce("drops messages", Severity::kWarning,
                       "the API server does not keep messages in allocatedResourcesStatus (its "
                       "feature gate ResourceHealthStatusMessage is off)",
                       effects);
      break;
    case Publisher::Reaction::kRefusedEntries:
      trouble_.SayOnce("refused " + event.uid, Severity::kError,
                       "the API server refuses a part of what pod " + name +
                           " shall say, leaving that out: " + event.why,
                       effects);
      break;
  }
  UpdateRecord(entry, now, effects, event.outcome == event::PatchOutcome::kApplied);
  Queue(event.uid);
}

void PodTable::MeasureLatency(Entry& entry, const event::PatchDone& done, BootTime now,
                              Effects& effects) {
  const auto turned = std::exchange(entry.sending, std::nullopt);
  if (!turned) return;
  if (done.outcome == event::PatchOutcome::kApplied) {
    effects.effects.emplace_back(effect::Published{now - *turned});
  } else {
    entry.turned = turned;  // earlier than any that came meanwhile
  }
}

void PodTable::Handle(const event::ApiReconnected&, Moment, Effects&) {
  server_ = {};
  trouble_.Reconnected();
  RetryAll();
}

void PodTable::RetryAll() {
  for (auto& [uid, entry] : pods_) {
    entry.publisher.RetryNow();
    Queue(uid);
  }
}

void PodTable::Compare(Entry& entry, Moment now, BootTime& ask_again, Effects& effects) {
  std::vector<FieldDifference> differences;
  if (entry.publisher.field_state() == FieldState::kDeferred) {
    differences = entry.publisher.Differences(cdi_.names());
  }
  auto changed = entry.differences.Update(std::move(differences), now);
  ask_again = std::min(ask_again, entry.differences.wake_at());
  if (changed) effects.writes.emplace_back(FieldDifferences{entry.record.uid, *std::move(changed)});
}

void PodTable::UpdateRecord(Entry& entry, Moment now, Effects& effects, bool published) {
  PodRecord record = entry.record;
  const auto& condition = entry.publisher.pod().condition;
  record.field = entry.publisher.field_state();
  record.condition = condition ? std::optional(condition->status.summary) : std::nullopt;
  record.reason = condition ? condition->status.reason : "";
  record.message = condition ? condition->status.message : "";
  if (published) record.last_published = now.wall;
  if (record == entry.stored) return;
  SayWhoHolds(entry, record.field, effects);
  entry.record = record;
  entry.stored = record;
  effects.writes.emplace_back(std::move(record));
}

// That a field is ours is what everybody expects, and not said unless it was not.
void PodTable::SayWhoHolds(Entry& entry, FieldState now, Effects& effects) {
  const FieldState before = std::exchange(entry.said_holder, now);
  std::string who;
  if (now == before) return;
  if (now == FieldState::kDeferred) who = "is left to the kubelet";
  if (now == FieldState::kContested) who = "is contested: our entries are taken away";
  if (now == FieldState::kOwn &&
      (before == FieldState::kDeferred || before == FieldState::kContested)) {
    who = "is the agent's again";
  }
  if (who.empty()) {
    if (now != FieldState::kOwn) entry.said_holder = before;
    return;
  }
  effects.effects.emplace_back(effect::Notice{
      Severity::kInfo, "allocatedResourcesStatus of pod " + FullName(entry.record) + " " + who});
}

PodSummary PodTable::Summarize() const {
  PodSummary summary;
  for (const FieldState state : {FieldState::kPending, FieldState::kOwn, FieldState::kDeferred,
                                 FieldState::kContested, FieldState::kDropped, FieldState::kNone}) {
    summary.by_field[state] = 0;
  }
  summary.queued = queue_.size();
  summary.patches_in_flight = in_flight_;
  summary.reverts = reverts_of_gone_pods_;
  for (const auto& [uid, entry] : pods_) {
    summary.differences += entry.differences.size();
    if (!entry.late_until) ++summary.by_field[entry.record.field];
    summary.reverts += entry.publisher.all_reverts();
  }
  return summary;
}

}  // namespace dra_health

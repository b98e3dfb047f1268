// What a patch may say, and when.

#include <algorithm>
#include <map>

#include "simulation.h"

namespace dra_health {
namespace {

std::string Name(const std::optional<Health>& health) {
  return health ? std::string(ToString(*health)) : "nothing";
}

bool HasEntries(const PodPatch& patch) {
  return std::ranges::any_of(patch.want.containers,
                             [](const auto& container) { return !container.entries.empty(); });
}

}  // namespace

void Simulation::CheckPatch(const PodPatch& patch) {
  if (settings_.publish == PublishMode::kNever) return Broken("a patch, but nothing is published");
  CheckNews(patch);
  CheckFieldAllowed(patch);
  if (ended_.Contains(patch.pod->uid)) return CheckEndedPatch(patch);
  for (const ContainerPublication& container : patch.want.containers) {
    for (const ResourceStatus& entry : container.entries) CheckEntry(*patch.pod, entry);
  }
  CheckCondition(patch);
}

void Simulation::CheckNews(const PodPatch& patch) {
  const auto& said = patch.pod->condition;
  const auto& want = patch.want.condition;
  bool news = said.has_value() != want.has_value() || (said && said->status != *want);
  bool health =
      said.has_value() != want.has_value() || (said && said->status.summary != want->summary);
  for (const ContainerPublication& container : patch.want.containers) {
    const auto& has = patch.pod->statuses.at(container.path.index).claim_entries;
    news |= !SameEntries(has, container.entries, true);
    health |= !SameEntries(has, container.entries, false);
  }
  if (!news) Broken("a patch of " + patch.pod->name + ", which says that already");
  const auto last = last_patch_.find(patch.pod->uid);
  const bool new_text = !health && last != last_patch_.end() &&
                        want->message != last->second.text && want->message != said->status.message;
  if (!new_text) return;
  if (Now().boot < last->second.at + settings_.message_interval) {
    Broken("a new text for " + patch.pod->name + " too soon after the last patch");
  }
}

void Simulation::CheckFieldAllowed(const PodPatch& patch) {
  if (!HasEntries(patch)) return;
  if (settings_.publish == PublishMode::kConditionOnly) Broken("a patch of the kubelet's field");
  if (settings_.hold == HoldPods::kNone) Broken("a field, but none is to be held");
  if (ended_.Contains(patch.pod->uid)) return;  // it has what it had
  if (settings_.hold == HoldPods::kNotHealthy && patch.want.condition &&
      patch.want.condition->summary == Health::kHealthy) {
    Broken("the field of " + patch.pod->name + ", which is Healthy, is not to be held");
  }
}

// The worse of two devices with one name wins.
void Simulation::CheckEntry(const Pod& pod, const ResourceStatus& entry) {
  std::map<std::string, Health> expected;
  const auto& claims = cluster_.ClaimsOf(pod.uid);
  const auto claim = claims.find(entry.name);
  if (claim == claims.end()) return;  // it was deleted meanwhile
  for (const DeviceKey& key : claim->second) {
    const auto known = HealthOf(key);
    if (!known && Offers(key.driver)) CheckGrace(pod, key.driver);
    CheckStored(key);
    const Health health = known.value_or(Health::kUnknown);
    const auto [found, added] = expected.emplace(NameOf(key), health);
    if (!added && IsWorse(health, found->second)) found->second = health;
  }
  std::map<std::string, Health> said;
  for (const ResourceHealth& resource : entry.resources) {
    said[resource.resource_id] = resource.health;
  }
  if (said == expected) return;
  std::string text = entry.name + " of " + pod.name + " published as";
  for (const auto& [name, health] : said) text += " " + name + "=" + Name(health);
  text += ", it is";
  for (const auto& [name, health] : expected) text += " " + name + "=" + Name(health);
  Broken(text);
}

// Durable before published, where the disk works.
void Simulation::CheckStored(const DeviceKey& key) {
  if (!keeper_->durable()) return;
  const auto told = told_.find(key);
  const DeviceRecord* const stored = disk_.Find(key);
  const auto newest = newest_.find(key);
  const Transition* const written = disk_.NewestOf(key);  // none: the file was lost
  if ((told != told_.end() && (stored == nullptr || stored->health.health != told->second)) ||
      (newest != newest_.end() && written != nullptr && written->to != newest->second)) {
    Broken(ResourceId(key) + " is published before the store knows");
  }
}

void Simulation::CheckEndedPatch(const PodPatch& patch) {
  const Pod& pod = *patch.pod;
  if (ended_.IsLeftAlone(pod.uid)) return Broken(pod.name + " is not left alone");
  if (!ended_.IsSure(pod.uid)) return;
  for (const ContainerPublication& container : patch.want.containers) {
    for (const ResourceStatus& entry : container.entries) CheckEndedEntry(pod, entry);
  }
  const auto said =
      patch.want.condition ? std::optional(patch.want.condition->summary) : std::nullopt;
  const auto expected = EndedPods::ConditionOf(ended_.LastOf(pod.uid));
  const bool unread = said == Health::kUnknown && expected == Health::kHealthy;  // not all of it
  if (said != expected && !unread) {
    Broken("the ended pod " + pod.name + " is said to be " + Name(said) + ", it is to say " +
           Name(expected));
  }
}

void Simulation::CheckEndedEntry(const Pod& pod, const ResourceStatus& entry) {
  const auto& claims = cluster_.ClaimsOf(pod.uid);
  const auto claim = claims.find(entry.name);
  if (claim == claims.end()) return;  // it was deleted meanwhile
  const auto& last = ended_.LastOf(pod.uid);
  std::map<std::string, Health> expected;
  for (const DeviceKey& key : claim->second) {
    const auto device = last.find(key);
    if (device == last.end()) return Broken("nothing is known of " + ResourceId(key));
    const auto [found, added] = expected.emplace(NameOf(key), device->second.health);
    if (!added && IsWorse(device->second.health, found->second)) {
      found->second = device->second.health;
    }
  }
  for (const ResourceHealth& resource : entry.resources) {
    const auto found = expected.find(resource.resource_id);
    if (found != expected.end() && found->second == resource.health) continue;
    Broken("the ended pod " + pod.name + " is said to have " + resource.resource_id + " " +
           Name(resource.health));
  }
}

// Of the claims that were read; while one is not, the pod is not called Healthy.
void Simulation::CheckCondition(const PodPatch& patch) {
  const Pod& pod = *patch.pod;
  const auto& claims = cluster_.ClaimsOf(pod.uid);
  if (claims.empty()) return;  // it was deleted meanwhile
  std::optional<Health> expected;
  bool all_read = true;
  for (const PodClaim& claim : pod.claims) {
    if (!claims_read_.contains({pod.uid, *claim.claim_name})) {
      all_read = false;
    } else if (const auto health = Worst(pod, claims.at("claim:" + claim.name))) {
      if (!expected || IsWorse(*health, *expected)) expected = health;
    }
  }
  if (!all_read && expected == Health::kHealthy) expected = Health::kUnknown;
  const auto& said = patch.want.condition;
  if ((said ? std::optional(said->summary) : std::nullopt) != expected) {
    Broken("condition of " + pod.name + " published as " +
           Name(said ? std::optional(said->summary) : std::nullopt) + ", it is " + Name(expected));
  }
}

// A first report is waited for, unless something worse is to be said.
void Simulation::CheckGrace(const Pod& pod, const std::string& driver) {
  const auto since = registered_.find(driver);
  const BootTime from = since == registered_.end() ? started_ : since->second;
  if (Now().boot >= from + settings_.report_grace) return;
  if (ConditionOf(pod) == Health::kUnhealthy) return;
  if (last_patch_.contains(pod.uid)) return;  // an alarm was raised before all was known
  if (pod.condition && pod.condition->status.summary != Health::kHealthy) return;  // no new one
  Broken("a device of " + driver + " is called Unknown before its first report is due");
}

void Simulation::CheckTransitionTime(const PodPatch& patch, const Pod& before, const Pod& after) {
  if (!after.condition) return;
  const bool turned =
      !before.condition || before.condition->status.summary != after.condition->status.summary;
  const std::string expected =
      turned ? FormatTime(patch.now) : before.condition->last_transition_time;
  if (after.condition->last_transition_time != expected) {
    Broken("the condition of " + after.name + " turned at " +
           after.condition->last_transition_time + ", and not at " + expected);
  }
}

}  // namespace dra_health

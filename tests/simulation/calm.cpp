// Nothing goes wrong any more: all must come right, and then there is nothing to be said.

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "simulation.h"

namespace dra_health {
namespace {

using std::chrono::seconds;

constexpr std::size_t kMostMemory = 2u << 20;

std::string Name(const std::optional<Health>& health) {
  return health ? std::string(ToString(*health)) : "nothing";
}

}  // namespace

void Simulation::Calm() {
  calm_ = true;
  ++counts_.calms;
  Pass(seconds{110});  // an agent that died is back
  disk_.full = disk_.closed = disk_.locked = disk_.unreadable = false;
  cluster_.drops_field = cluster_.drops_messages = false;
  cluster_.guard = true;  // without it the contest about the field of an ended pod has no end
  kubelet_honest_ = true;
  if (!failure_.empty()) return;
  CalmDrivers();
  RegainServer();
  Pass(seconds{1500});  // longer than any backoff and any peace that a contest needs
  if (failure_.empty()) CheckConvergence();
  CheckQuiet();
  CheckAbsence();
  CheckContest();
  CheckMemory();
  calm_ = false;
}

void Simulation::CheckConvergence() {
  for (const auto& [name, driver] : drivers_) {
    if (!Offers(name)) continue;
    for (const DeviceReport& device : driver.devices) {
      const DeviceKey key{name, device.pool, device.device};
      if (oracle_.Expired(key, Now().boot) || HealthOf(key) == device.health) continue;
      Broken("in the calm " + ResourceId(key) + " is taken for " + Name(HealthOf(key)) +
             ", its driver says " + Name(device.health));
    }
  }
  CheckConditions();
  if (reconciler_->Summarize(Now().boot).pods.by_field.at(FieldState::kContested) > 0) {
    Broken("in the calm a field is contested");
  }
  if (settings_.publish == PublishMode::kAuto || settings_.publish == PublishMode::kAlways) {
    for (const auto& pod : cluster_.Pods()) {
      if (!pod->ended) CheckField(*pod);
    }
    CheckPlaces();
  }
  CheckHistory();
}

void Simulation::CheckConditions() {
  if (settings_.publish == PublishMode::kNever) return;
  for (const auto& pod : cluster_.Pods()) {
    if (pod->ended) {
      CheckEndedPod(*pod);
      continue;
    }
    const auto said = pod->condition ? std::optional(pod->condition->status.summary) : std::nullopt;
    const auto expected = ConditionOf(*pod);
    if (said != expected) {
      Broken("in the calm pod " + pod->name + " says " + Name(said) + ", it is " + Name(expected));
    }
  }
}

void Simulation::CheckEndedPod(const Pod& pod) {
  if (!ended_.Contains(pod.uid)) return Broken("nobody told that " + pod.name + " has ended");
  const auto& last = ended_.LastOf(pod.uid);
  if (!ended_.IsSure(pod.uid) || ended_.IsLeftAlone(pod.uid) || last.empty()) return;
  const auto said = pod.condition ? std::optional(pod.condition->status.summary) : std::nullopt;
  const auto expected = EndedPods::ConditionOf(last);
  if (expected && said != expected) {
    Broken("in the calm the ended pod " + pod.name + " says " + Name(said) + ", it is to say " +
           Name(expected));
  }
  for (const auto& [key, device] : last) {
    const auto stored = disk_.LastOf(pod.uid, key);
    if (stored && stored->health.health == device.health && stored->counts == device.counts &&
        (stored->closed == device.closed || !ended_.IsOpen(pod.uid, Now().boot))) {
      continue;
    }
    if (keeper_->durable())
      Broken("what " + pod.name + " last said of " + ResourceId(key) + " is not in the store");
  }
}

// Whoever has written it, and however that one calls the devices.
void Simulation::CheckField(const Pod& pod) {
  for (const ResourceStatus& entry : pod.statuses[0].claim_entries) {
    Health said = Health::kHealthy;
    Health worst = Health::kHealthy;
    bool comparable = true;
    for (const DeviceKey& key : cluster_.ClaimsOf(pod.uid).at(entry.name)) {
      const Health health = HealthOf(key).value_or(Health::kUnknown);
      if (IsWorse(health, worst)) worst = health;
    }
    for (const ResourceHealth& resource : entry.resources) {
      if (IsWorse(resource.health, said)) said = resource.health;
      std::optional<Health> expected;
      for (const DeviceKey& key : cluster_.ClaimsOf(pod.uid).at(entry.name)) {
        const bool cdi = CdiIdOf(key) == resource.resource_id;
        comparable &= !cdi || cdi_known_.contains(key);
        if (!cdi && ResourceId(key) != resource.resource_id) continue;
        const Health health = HealthOf(key).value_or(Health::kUnknown);
        if (!expected || IsWorse(health, *expected)) expected = health;
      }
      if (comparable && expected != resource.health) {
        Broken("in the calm the field of " + pod.name + " says " + resource.resource_id + " " +
               Name(resource.health) + ", it is " + Name(expected));
      }
    }
    // By names that nobody has told the agent it can compare no more.
    if (said != worst) Broken("in the calm " + entry.name + " of " + pod.name + " is wrong");
  }
}

bool Simulation::MayHold(const Pod& pod) const {
  const auto health = ConditionOf(pod);
  if (pod.ended || !health) return false;
  return settings_.hold == HoldPods::kAll ||
         (settings_.hold == HoldPods::kNotHealthy && health != Health::kHealthy);
}

// As many fields as may be, those of the sick first, and no more.
void Simulation::CheckPlaces() {
  std::size_t wanted = 0;
  std::size_t there = 0;
  std::size_t held = 0;
  std::string sick_without;
  std::string well_with;
  for (const auto& pod : cluster_.Pods()) {
    const auto found = carries_.find(pod->uid);
    const bool ours = !pod->ended && found != carries_.end() && found->second;
    held += ours ? 1 : 0;
    if (!MayHold(*pod)) continue;
    ++wanted;
    const bool well = ConditionOf(*pod) == Health::kHealthy;
    const bool field = pod->statuses[0].claim_entries.size() == pod->claims.size();
    there += field ? 1 : 0;
    if (!field && !well) sick_without = pod->name;
    if (ours && well) well_with = pod->name;
  }
  if (held > settings_.max_held_pods) Broken("too many fields are held");
  if (there < std::min(wanted, settings_.max_held_pods)) {
    Broken("in the calm " + std::to_string(there) + " fields are there of " +
           std::to_string(wanted));
  }
  if (!sick_without.empty() && !well_with.empty()) {
    Broken("the field of " + sick_without + " has no place, that of " + well_with + " has");
  }
}

void Simulation::CheckHistory() {
  for (const DeviceRecord& record : disk_.State().devices) {
    const auto told = told_.find(record.key);
    const Transition* const newest = disk_.NewestOf(record.key);
    if ((told != told_.end() && told->second != record.health.health) ||
        (newest != nullptr && newest_.contains(record.key) && newest->to != record.health.health)) {
      Broken("the history on the disk does not lead to what " + ResourceId(record.key) + " is");
    }
  }
  if (!keeper_->durable() || keeper_->kept() > 0) Broken("in the calm the store is not written");
}

void Simulation::CheckQuiet() {
  requests_.clear();
  rows_ = 0;
  Pass(seconds{180});
  if (!requests_.empty()) Broken("in a quiet state: " + requests_.front());
  if (rows_ > 0) Broken("in a quiet state rows are written");
}

// The server is away for minutes while devices change: it is asked now and then whether it is back,
// and then one patch a pod says the newest. Two where a place
// must be found first, or the kubelet's field be left to it for a moment longer.
void Simulation::CheckAbsence() {
  if (!failure_.empty()) return;
  const std::size_t away = 60 + Below(Chance(80) ? 120 : 600);
  const std::size_t before = counts_.patches;
  LoseServer(seconds{2 * away});
  for (int i = 0; i < 6; ++i) At(seconds{Below(away)}, [this] { ChangeDevice(); });
  Pass(seconds{away});
  if (counts_.patches - before > away / 7 + 16) {
    Broken(std::to_string(counts_.patches - before) + " patches of a server that was away for " +
           std::to_string(away) + " s");
  }
  patches_of_.clear();
  if (!failure_.empty()) return;
  RegainServer();
  Pass(seconds{2});
  CheckConditions();
  Pass(seconds{60});
  const bool field_waits = settings_.max_held_pods < cluster_.Pods().size() ||
                           settings_.hold != HoldPods::kAll ||
                           settings_.publish == PublishMode::kAuto;
  const int most = field_waits ? 2 : 1;
  for (const auto& [uid, patches] : patches_of_) {
    if (patches > most) Broken(uid + " is patched " + std::to_string(patches) + " times at once");
  }
}

// Without a guard a kubelet takes the field away at each tick. It is put back at intervals that
// grow, 6 times in 10 minutes by default, and what is new about health is said at once all the
// same.
void Simulation::CheckContest() {
  if (!failure_.empty()) return;
  patches_of_.clear();
  cluster_.guard = false;
  cluster_.kubelet_gate = Chance(30);
  kubelet_honest_ = Chance(50);
  Pass(seconds{55});
  CheckPace(seconds{55}, 0);
  Pass(seconds{245});
  ChangeDevice();
  Pass(seconds{2});
  CheckConditions();
  Pass(seconds{298});
  CheckPace(seconds{600}, 1);
  kubelet_honest_ = true;
}

// The n-th time to put the field back comes 0, 1, 3, 8, 20, 20, ... twentieths of the longest wait
// after the one before. `news`: changes that were said with it meanwhile.
void Simulation::CheckPace(seconds since, int news) {
  using std::chrono::milliseconds;
  const milliseconds longest = settings_.reassert_interval;
  int most = 1 + news;
  milliseconds at{0};
  for (const int step : {0, 1, 3, 8}) most += (at += longest * step / 20) <= since ? 1 : 0;
  while ((at += longest) <= since) ++most;
  for (const auto& [uid, patches] : patches_of_) {
    if (patches > most) {
      Broken(uid + " is patched " + std::to_string(patches) + " times in " +
             std::to_string(since.count()) + " s");
    }
  }
}

void Simulation::CheckMemory() {
  requests_.clear();
  const std::size_t used = mallinfo2().uordblks;
  counts_.most_memory = std::max(counts_.most_memory, used);
  if (used > kMostMemory) Broken(std::to_string(used) + " bytes are in use");
}

}  // namespace dra_health

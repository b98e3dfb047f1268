// The agent's loop around the reconciler and the store keeper, and who answers its requests.

#include <algorithm>
#include <iostream>
#include <utility>

#include "simulation.h"
#include "trace.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kEffectsOfOneEvent = 200;  // more of them at one moment is a loop
// Small, so that storms reach them.
constexpr StateMirror::Limits kKept{.transitions = 60, .gone_pods = 6};

}  // namespace

template <typename What>
void Simulation::Trace(const What& what) const {
  if (counts_.steps < trace_from_) return;
  std::cout << counts_.steps << " " << FormatTimeMillis(Now().wall) << " " << Describe(what)
            << "\n";
}

void Simulation::Wake() {
  if (!Start()) return At(seconds{2}, [this] { Wake(); });
  std::vector<PluginId> there;
  for (const auto& [id, endpoint] : endpoints_) there.push_back(id);
  for (const PluginId id : there) Announce(id);
}

bool Simulation::Start() {
  keeper_ = std::make_unique<StoreKeeper>([this] { return disk_.Open(); }, clock_,
                                          [](const effect::Notice&) {},
                                          StoreKeeper::Options{.limits = kKept, .seed = random_()});
  auto loaded = keeper_->Start();
  if (!loaded) {
    keeper_.reset();
    return false;
  }
  const StoredState stored = *std::move(loaded);
  ++life_;
  started_ = Now().boot;
  in_flight_.clear();
  failures_ = 0;
  registered_.clear();
  claims_read_.clear();
  pods_known_.clear();
  last_patch_.clear();
  carries_.clear();
  known_drivers_.clear();
  for (const DriverRecord& record : stored.drivers) known_drivers_.insert(record.name);
  cdi_known_.clear();
  for (const CdiIdRecord& record : stored.cdi_ids) cdi_known_.insert(record.key);
  newest_.clear();
  told_.clear();
  for (const DeviceRecord& record : stored.devices) told_[record.key] = record.health.health;
  transitions_to_store_ = disk_.transitions();  // what an earlier agent kept has died with it

  const std::string boot_id = "boot-" + std::to_string(boot_);
  oracle_.Configure(settings_);
  oracle_.Restarted(stored, stored.alive && stored.alive->boot_id == boot_id, Now().boot);
  ended_.Restarted(stored);
  reconciler_ = std::make_unique<Reconciler>(settings_, boot_id, random_());
  Commit(reconciler_->Restore(stored, Now()));
  if (cluster_.up) Watch(milliseconds{20}, event::PodsListed{cluster_.Pods()});
  return true;
}

void Simulation::Crash() {
  ++counts_.restarts;
  ++life_;
  reconciler_.reset();
  keeper_.reset();
  at_once_.clear();
  for (auto& [id, endpoint] : endpoints_) {
    endpoint.stream = false;
    ++endpoint.generation;
  }
}

// At this very instant; then it is back after a while, or after a reboot.
bool Simulation::MayDie() {
  if (calm_ || !mortal_ || Below(1500) > 0) return false;
  if (Chance(10)) ++boot_;
  Die(milliseconds{100 + Below(Chance(80) ? 5'000 : 90'000)});
  return true;
}

void Simulation::Die(std::chrono::nanoseconds away) {
  if (calm_ || !reconciler_) return;
  Crash();
  At(away, [this] { Wake(); });
}

void Simulation::Send(std::chrono::nanoseconds in, Event event) {
  At(in, [this, life = life_, event = std::move(event)]() mutable {
    if (life == life_) Deliver(std::move(event));
  });
}

// In the order in which it happened.
void Simulation::Watch(milliseconds in, Event event) {
  watched_ = std::max(watched_, Now().boot + in);
  Send(watched_ - Now().boot, std::move(event));
}

void Simulation::Deliver(Event event) {
  if (!reconciler_) return;
  at_once_.push_back(std::move(event));
  while (!at_once_.empty() && failure_.empty()) {
    const Event next = std::move(at_once_.front());
    at_once_.pop_front();
    ++counts_.steps;
    Trace(next);
    Observe(next);
    Commit(reconciler_->Handle(next, Now()));
  }
  if (reconciler_) CheckBounds();
}

void Simulation::Commit(Effects effects) {
  if (MayDie()) return;
  CheckWrites(effects.writes);
  keeper_->Apply(effects.writes);
  CheckStore();
  if (MayDie()) return;
  if (effects.effects.size() > kEffectsOfOneEvent) Broken("endless effects of one event");
  for (Effect& effect : effects.effects) CarryOut(effect);
}

void Simulation::CarryOut(Effect& effect) {
  Trace(effect);
  if (const auto* open = std::get_if<effect::OpenStream>(&effect)) {
    Open(*open);
  } else if (const auto* close = std::get_if<effect::CloseStream>(&effect)) {
    requests_.emplace_back("a stream is closed");
    if (const auto found = endpoints_.find(close->id); found != endpoints_.end()) {
      found->second.stream = false;
      ++found->second.generation;
    }
    at_once_.push_back(event::StreamEnded{close->id, false, "CANCELLED"});
  } else if (std::holds_alternative<effect::ReadCdiIds>(effect)) {
    requests_.emplace_back("CDI IDs are read");
    Send(milliseconds{1}, ReadCdiIds());
  } else if (const auto* claim = std::get_if<effect::ReadClaim>(&effect)) {
    requests_.push_back("GET claim " + claim->name);
    event::ClaimRead answer{claim->namespace_name, claim->name, claim->pod_uid,
                            Fail(ErrorKind::kRetry, "connection refused")};
    if (cluster_.up && (calm_ || !Chance(15))) {
      answer.claim = Fail(ErrorKind::kItem, "not found");
      if (auto found = cluster_.FindClaim(claim->name)) answer.claim = std::move(found);
    }
    Send(milliseconds{1 + Below(20)}, std::move(answer));
  } else if (const auto* read = std::get_if<effect::ReadPod>(&effect)) {
    requests_.push_back("GET pod " + read->name);
    event::PodRead answer{read->uid, Fail(ErrorKind::kRetry, "connection refused")};
    if (cluster_.up) {
      answer.pod = Fail(ErrorKind::kItem, "not found");
      if (auto found = cluster_.FindByName(read->name)) answer.pod = std::move(found);
    }
    Send(milliseconds{1 + Below(20)}, std::move(answer));
  } else if (const auto* patch = std::get_if<effect::Patch>(&effect)) {
    Send(*patch);
  }
}

void Simulation::Open(const effect::OpenStream& open) {
  requests_.emplace_back("a stream is opened");
  const PluginId id = open.id;
  const bool there = endpoints_.contains(id) && !Chance(calm_ ? 0 : 10);
  if (!there) return Send(milliseconds{5}, event::StreamEnded{id, false, "UNAVAILABLE: gone"});
  Endpoint& endpoint = endpoints_.at(id);
  endpoint.stream = true;
  At(milliseconds{2}, [this, id, generation = ++endpoint.generation, life = life_] {
    const auto is_open = [&] {
      const auto found = endpoints_.find(id);
      return life == life_ && found != endpoints_.end() && found->second.generation == generation;
    };
    if (!is_open()) return;
    Deliver(event::StreamOpened{id});
    if (!is_open()) return;
    const Driver& driver = drivers_.at(endpoints_.at(id).driver);
    if (driver.silent) return;
    // One with heartbeats has time to say something.
    const bool empty = driver.heartbeats && !calm_ && Chance(15);
    Report(id, empty ? std::vector<DeviceReport>{} : driver.devices);
  });
}

void Simulation::Send(const effect::Patch& effect) {
  const PodPatch& patch = effect.patch;
  const std::string& uid = patch.pod->uid;
  requests_.push_back(
      "PATCH pod " + patch.pod->name + (patch.want.containers.empty() ? "" : " with field") +
      (patch.want.condition ? ": " + patch.want.condition->message : ", no condition"));
  ++counts_.patches;
  ++patches_of_[uid];
  CheckPatch(patch);
  last_patch_[uid] = {Now().boot, patch.want.condition ? patch.want.condition->message : ""};
  if (!in_flight_.insert(uid).second) Broken("two patches of one pod under way");
  // One asks a server that only fails whether it is back.
  const std::size_t room = failures_ < 3 ? settings_.max_patches_in_flight : 1;
  if (in_flight_.size() > room) Broken("too many patches under way");
  // The server may do what it is asked although the agent dies before it hears of it.
  At(milliseconds{1 + Below(40)}, [this, life = life_, sent = patch] {
    const auto before = cluster_.Find(sent.pod->uid);
    event::PatchDone done = cluster_.Patch(sent);
    if (done.answer) CheckTransitionTime(sent, *before, *done.answer);
    if (life != life_) return;
    if (done.answer) {
      for (const auto& container : sent.want.containers) {
        carries_[done.uid] = !container.entries.empty() && !cluster_.drops_field;
      }
      Watch(milliseconds{Below(30)}, event::PodChanged{done.answer});
    }
    Send(milliseconds{1 + Below(20)}, std::move(done));
  });
}

event::CdiIdsRead Simulation::ReadCdiIds() {
  if (Chance(40)) return {Fail(ErrorKind::kRetry, "no such socket")};
  std::vector<CdiIdRecord> ids;
  for (const auto& pod : cluster_.Pods()) {
    for (const DeviceKey& key : cluster_.DevicesOf(pod->uid)) {
      if (std::string id = CdiIdOf(key); !id.empty()) ids.push_back({key, std::move(id)});
    }
  }
  return {std::move(ids)};
}

}  // namespace dra_health

#include "simulation.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "trace.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kEffectsOfOneEvent = 200;  // more of them at one moment is a loop

// Back from driver/pool/device; the simulation's names hold no slashes.
DeviceKey ParseKey(const std::string& id) {
  const auto first = id.find('/');
  const auto second = id.find('/', first + 1);
  return {id.substr(0, first), id.substr(first + 1, second - first - 1), id.substr(second + 1)};
}

std::string Name(const std::optional<Health>& health) {
  return health ? std::string(ToString(*health)) : "nothing";
}

}  // namespace

template <typename What>
void Simulation::Trace(const What& what) const {
  if (counts_.steps < trace_from_) return;
  std::cout << counts_.steps << " " << FormatTimeMillis(Now().wall) << " " << Describe(what)
            << "\n";
}

Simulation::Simulation(std::uint64_t seed, std::size_t trace_from)
    : trace_from_(trace_from), random_(seed) {
  settings_.max_held_pods = 4;
  settings_.max_patches_in_flight = 3;
  const char* names[] = {"gpu.example.com", "nic.example.com", "fpga.example.com"};
  for (const char* name : names) {
    Driver& driver = drivers_[name];
    driver.lease = seconds{10 + Below(30)};
    for (int i = 0; i < 4; ++i) {
      driver.devices.push_back(
          {"node", "dev-" + std::to_string(i), Health::kHealthy, "", 0, driver.lease});
    }
  }
  drivers_["old.example.com"] = {.supported = false,
                                 .devices = {{"node", "dev-0", Health::kUnknown, "", 0, {}}}};
  Start();
  for (const auto& [name, driver] : drivers_) Register(name);
  for (const auto& [name, driver] : drivers_) {
    At(seconds{1}, [this, name = name] { Heartbeat(name); });
  }
  At(seconds{10}, [this] { KubeletTick(); });
  At(seconds{60}, [this] { Storm(); });
}

bool Simulation::Run(std::size_t steps) {
  std::size_t next_calm = 4000;
  while (counts_.steps < steps && failure_.empty()) {
    Step();
    if (counts_.steps < next_calm) continue;
    next_calm = counts_.steps + 4000;
    Calm();
  }
  return failure_.empty();
}

void Simulation::At(milliseconds in, std::function<void()> action) {
  actions_.emplace(Now().boot + in, std::move(action));
}

void Simulation::Step() {
  BootTime next = actions_.begin()->first;
  if (reconciler_) next = std::min(next, std::max(reconciler_->NextDeadline(), Now().boot));
  clock_.Advance(next - Now().boot);
  if (reconciler_ && reconciler_->NextDeadline() <= Now().boot) {
    Deliver(event::Tick{});
    if (reconciler_ && reconciler_->NextDeadline() <= Now().boot) Deliver(event::Tick{});
    if (reconciler_ && reconciler_->NextDeadline() <= Now().boot) Broken("a deadline that stays");
    return;
  }
  auto action = actions_.extract(actions_.begin());
  action.mapped()();
}

void Simulation::Pass(seconds time) {
  const BootTime end = Now().boot + time;
  while (failure_.empty() && actions_.begin()->first <= end) Step();
}

// --- the agent ---

void Simulation::Start() {
  ++life_;
  in_flight_ = 0;
  started_ = Now().boot;
  registered_.clear();
  spoken_for_.clear();
  keeper_ = std::make_unique<StoreKeeper>([this] { return disk_.Open(); }, clock_,
                                          [](const effect::Notice&) {},
                                          StoreKeeper::Options{.seed = random_()});
  const StoredState stored = keeper_->Start().value();
  const std::string boot_id = "boot-" + std::to_string(boot_);
  oracle_.Restarted(stored, stored.alive && stored.alive->boot_id == boot_id, Now().boot);
  told_.clear();
  for (const DeviceRecord& record : stored.devices) told_[record.key] = record.health.health;
  reconciler_ = std::make_unique<Reconciler>(settings_, boot_id, random_());
  Commit(reconciler_->Restore(stored, Now()));
  ended_before_.clear();
  for (const auto& pod : cluster_.Pods()) {
    if (pod->ended) ended_before_.insert(pod->uid);
  }
  Send(milliseconds{20}, event::PodsListed{cluster_.Pods()});
}

void Simulation::Crash() {
  ++counts_.restarts;
  if (keeper_->durable()) {
    for (const DeviceRecord& record : disk_.State().devices) {
      const auto known = oracle_.HealthOf(record.key, Now().boot);
      if (known && record.health.health != *known) {
        Broken("the store has another health of " + ResourceId(record.key) + " than was reported");
      }
    }
  }
  ++life_;
  reconciler_.reset();
  keeper_.reset();
  at_once_.clear();
  ended_.clear();
  for (auto& [id, endpoint] : endpoints_) {
    endpoint.stream = false;
    ++endpoint.generation;
  }
}

void Simulation::Send(milliseconds in, Event event) {
  At(in, [this, life = life_, event = std::move(event)]() mutable {
    if (life == life_ && reconciler_) Deliver(std::move(event));
  });
}

void Simulation::Deliver(Event event) {
  at_once_.push_back(std::move(event));
  while (!at_once_.empty() && failure_.empty()) {
    const Event next = std::move(at_once_.front());
    at_once_.pop_front();
    ++counts_.steps;
    Trace(next);
    if (const auto* ended = std::get_if<event::StreamEnded>(&next)) oracle_.StreamEnded(ended->id);
    if (const auto* changed = std::get_if<event::PodChanged>(&next)) NoteEnd(*changed->pod);
    if (std::holds_alternative<event::PatchDone>(next)) --in_flight_;
    Commit(reconciler_->Handle(next, Now()));
  }
}

// What an ended pod may say: what is so at its end, and what a late report adds (see Report).
void Simulation::NoteEnd(const Pod& pod) {
  if (!pod.ended || ended_before_.contains(pod.uid) || ended_.contains(pod.uid)) return;
  auto& may = ended_[pod.uid];
  for (const DeviceKey& key : cluster_.DevicesOf(pod.uid)) {
    may[key].insert(HealthOf(key).value_or(Health::kUnknown));
  }
}

void Simulation::Commit(Effects effects) {
  CheckWrites(effects.writes);
  keeper_->Apply(effects.writes);
  if (effects.effects.size() > kEffectsOfOneEvent) Broken("endless effects of one event");
  for (Effect& effect : effects.effects) CarryOut(effect);
}

void Simulation::CarryOut(Effect& effect) {
  Trace(effect);
  if (const auto* open = std::get_if<effect::OpenStream>(&effect)) {
    const PluginId id = open->id;
    const bool there = endpoints_.contains(id) && !Chance(calm_ ? 0 : 10);
    if (!there) return Send(milliseconds{5}, event::StreamEnded{id, false, "UNAVAILABLE: gone"});
    Endpoint& endpoint = endpoints_.at(id);
    endpoint.stream = true;
    At(milliseconds{2}, [this, id, generation = ++endpoint.generation, life = life_] {
      const auto found = endpoints_.find(id);
      if (life != life_ || found == endpoints_.end() || found->second.generation != generation)
        return;
      Deliver(event::StreamOpened{id});
      if (!drivers_.at(found->second.driver).silent)
        Report(id, drivers_.at(found->second.driver).devices);
    });
  } else if (const auto* close = std::get_if<effect::CloseStream>(&effect)) {
    if (const auto found = endpoints_.find(close->id); found != endpoints_.end()) {
      found->second.stream = false;
      ++found->second.generation;
    }
    at_once_.push_back(event::StreamEnded{close->id, false, "CANCELLED"});
  } else if (std::holds_alternative<effect::ReadCdiIds>(effect)) {
    Send(milliseconds{1}, event::CdiIdsRead{Fail(ErrorKind::kRetry, "no such socket")});
  } else if (const auto* claim = std::get_if<effect::ReadClaim>(&effect)) {
    requests_.push_back("GET claim " + claim->name);
    event::ClaimRead answer{claim->namespace_name, claim->name, claim->pod_uid,
                            Fail(ErrorKind::kRetry, "connection refused")};
    if (cluster_.up) {
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
  } else if (auto* patch = std::get_if<effect::Patch>(&effect)) {
    const auto& want = patch->patch.want;
    requests_.push_back("PATCH pod " + patch->patch.pod->name +
                        (want.containers.empty() ? "" : " with field") +
                        (want.condition ? ": " + want.condition->message : ", no condition"));
    ++counts_.patches;
    ++patches_of_[patch->patch.pod->uid];
    CheckPatch(patch->patch);
    spoken_for_.insert(patch->patch.pod->uid);
    if (++in_flight_ > settings_.max_patches_in_flight) Broken("too many patches under way");
    // The server may do what it is asked although the agent dies before it hears of it.
    At(milliseconds{1 + Below(40)}, [this, life = life_, sent = patch->patch] {
      event::PatchDone done = cluster_.Patch(sent);
      if (life != life_) return;
      if (done.answer) Send(milliseconds{Below(30)}, event::PodChanged{done.answer});
      Send(milliseconds{1 + Below(20)}, std::move(done));
    });
  }
}

// --- what must hold ---

void Simulation::CheckWrites(const std::vector<StoreWrite>& writes) {
  for (const StoreWrite& write : writes) {
    const auto* transition = std::get_if<Transition>(&write);
    if (transition == nullptr) continue;
    ++counts_.transitions;
    const auto before = told_.find(transition->key);
    const Health from = before == told_.end() ? Health::kUnknown : before->second;
    // From Unknown to Unknown is for another reason.
    const bool no_news = from == transition->to && from != Health::kUnknown;
    if (transition->from != from || no_news) {
      Broken("a transition of " + ResourceId(transition->key) + " from " +
             std::string(ToString(transition->from)) + " to " + Name(transition->to) + " (" +
             std::string(ToString(transition->reason)) + "), it was " + Name(from));
    }
    told_[transition->key] = transition->to;
  }
}

void Simulation::CheckPatch(const PodPatch& patch) {
  const std::string& uid = patch.pod->uid;
  if (ended_before_.contains(uid)) return;
  const auto ended = ended_.find(uid);
  for (const ContainerPublication& container : patch.want.containers) {
    for (const ResourceStatus& entry : container.entries) {
      for (const ResourceHealth& resource : entry.resources) {
        const DeviceKey key = ParseKey(resource.resource_id);
        const auto expected = HealthOf(key);
        if (ended != ended_.end()) {
          const auto& may = ended->second[key];
          if (!may.empty() && !may.contains(resource.health)) {
            Broken("an ended pod is said to have " + resource.resource_id + " " +
                   Name(resource.health));
          }
          continue;
        }
        if (!expected && drivers_.at(key.driver).supported) CheckGrace(*patch.pod, key.driver);
        if (resource.health != expected.value_or(Health::kUnknown)) {
          Broken(resource.resource_id + " published as " + Name(resource.health) + ", it is " +
                 Name(expected));
        }
        const auto told = told_.find(key);
        if (told != told_.end() && expected && told->second != resource.health) {
          Broken(resource.resource_id + " published as " + Name(resource.health) +
                 " before the store knows");
        }
      }
    }
  }
  if (ended != ended_.end() || cluster_.DevicesOf(uid).empty()) return;
  const auto expected = ConditionOf(cluster_.DevicesOf(uid));
  const auto& said = patch.want.condition;
  const bool right = said ? expected == said->summary : !expected;
  // Without all claims the agent may only know the worst.
  const bool known_worst =
      said && (said->message.find("claims") != std::string::npos ||
               (said->summary == Health::kUnhealthy && expected == said->summary));
  if (!right && !known_worst) {
    Broken("condition of " + patch.pod->name + " published as " +
           Name(said ? std::optional(said->summary) : std::nullopt) + ", it is " + Name(expected));
  }
}

// A first report is waited for, unless something worse is to be said.
void Simulation::CheckGrace(const Pod& pod, const std::string& driver) {
  const auto since = registered_.find(driver);
  const BootTime from = since == registered_.end() ? started_ : since->second;
  if (Now().boot >= from + seconds{10}) return;
  if (ConditionOf(cluster_.DevicesOf(pod.uid)) == Health::kUnhealthy) return;
  if (spoken_for_.contains(pod.uid)) return;  // an alarm was raised before all was known
  if (pod.condition && pod.condition->status.summary == Health::kUnknown) return;  // no news
  Broken("a device of " + driver + " is called Unknown before its first report is due");
}

std::optional<Health> Simulation::HealthOf(const DeviceKey& key) const {
  if (!drivers_.at(key.driver).supported) return std::nullopt;
  return oracle_.HealthOf(key, Now().boot);
}

// nullopt: no driver of the devices offers health.
std::optional<Health> Simulation::ConditionOf(const std::vector<DeviceKey>& devices) const {
  std::optional<Health> worst;
  for (const DeviceKey& key : devices) {
    if (!drivers_.at(key.driver).supported) continue;
    const Health health = HealthOf(key).value_or(Health::kUnknown);
    if (!worst || IsWorse(health, *worst)) worst = health;
  }
  return worst;
}

void Simulation::CheckConvergence() {
  for (const auto& pod : cluster_.Pods()) {
    if (pod->ended) continue;
    const auto devices = cluster_.DevicesOf(pod->uid);
    const auto said = pod->condition ? std::optional(pod->condition->status.summary) : std::nullopt;
    const auto expected = ConditionOf(devices);
    if (said != expected) {
      Broken("in the calm pod " + pod->name + " says " + Name(said) + ", it is " + Name(expected));
    }
    for (const ResourceStatus& entry : pod->statuses[0].claim_entries) {
      for (const ResourceHealth& resource : entry.resources) {
        const auto health = HealthOf(ParseKey(resource.resource_id)).value_or(Health::kUnknown);
        if (resource.health != health) {
          Broken("in the calm the field of " + pod->name + " says " + resource.resource_id + " " +
                 Name(resource.health) + ", it is " + Name(health));
        }
      }
    }
  }
  for (const DeviceKey& key : oracle_.Devices()) {
    if (told_.contains(key) && told_.at(key) != oracle_.HealthOf(key, Now().boot)) {
      Broken("in the calm the newest transition of " + ResourceId(key) + " is not what it is");
    }
  }
  std::map<DeviceKey, Health> newest;
  for (const Transition& transition : disk_.transitions()) newest[transition.key] = transition.to;
  for (const DeviceRecord& record : disk_.State().devices) {
    const auto last = newest.find(record.key);
    if (last != newest.end() && last->second != record.health.health) {
      Broken("the history on the disk does not lead to what " + ResourceId(record.key) + " is");
    }
  }
  if (!keeper_->durable() || keeper_->kept() > 0) Broken("in the calm the store is not written");
}

void Simulation::Broken(const std::string& what) {
  if (failure_.empty()) {
    failure_ = "step " + std::to_string(counts_.steps) + " at " + FormatTimeMillis(Now().wall) +
               ": " + what;
  }
}

}  // namespace dra_health

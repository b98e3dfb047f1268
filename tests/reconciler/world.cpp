#include "world.h"

#include <algorithm>
#include <utility>

namespace dra_health {
namespace {

// Replaces the row with the same key, as the store does.
template <typename Row, typename Same>
void Replace(std::vector<Row>& rows, const Row& row, Same same) {
  std::erase_if(rows, [&](const Row& other) { return same(row, other); });
  rows.push_back(row);
}

}  // namespace

DeviceReport Says(const std::string& device, Health health, const std::string& message,
                  std::chrono::seconds lease) {
  return {kPool, device, health, message, 0, lease};
}

World::World(Settings settings) : settings_(std::move(settings)) {
  reconciler_ = std::make_unique<Reconciler>(settings_, boot_id_, 1);
  CarryOut(reconciler_->Restore({}, now()));
  Send(event::PodsListed{});
}

void World::Advance(std::chrono::nanoseconds by) {
  const BootTime end = now().boot + by;
  while (now().boot < end) {
    const BootTime next = std::min(end, std::max(reconciler_->NextDeadline(), now().boot + 1ms));
    clock_.Advance(next - now().boot);
    Send(event::Tick{});
  }
}

void World::Restart(bool reboot) {
  if (reboot) boot_id_ += "+";
  open_streams_.clear();
  held_.clear();
  reconciler_ = std::make_unique<Reconciler>(settings_, boot_id_, 1);
  CarryOut(reconciler_->Restore(stored_, now()));
  event::PodsListed list;
  for (const auto& [uid, pod] : pods_) list.pods.push_back(pod);
  Send(list);
}

void World::Restart(const Settings& settings) {
  reconciler_.reset();  // it refers to its own copy of the old ones
  settings_ = settings;
  Restart();
}

PluginId World::Register(const std::string& driver, std::vector<std::string> services) {
  const PluginId id = next_id_++;
  Send(event::PluginRegistered{id, driver, "/registry/" + std::to_string(id) + ".sock",
                               "/plugins/" + driver + "/" + std::to_string(id) + ".sock",
                               std::move(services)});
  return id;
}

void World::Report(PluginId id, std::vector<DeviceReport> devices) {
  Send(event::ReportReceived{id, std::move(devices), 0});
}

void World::EndStream(PluginId id, const std::string& why, bool unimplemented) {
  open_streams_.erase(id);
  Send(event::StreamEnded{id, unimplemented, why});
}

void World::Deregister(PluginId id) { Send(event::PluginDeregistered{id}); }

void World::PutClaim(const std::string& name,
                     std::vector<std::pair<std::string, std::string>> devices,
                     const std::string& driver) {
  Claim claim{"uid-" + name, "default", name, true, {}};
  for (auto& [request, device] : devices) {
    claim.results.push_back({request, {driver, kPool, device}, ""});
  }
  PutClaim(std::move(claim));
}

void World::PutClaim(Claim claim) {
  const std::string name = claim.name;
  claims_[name] = std::make_shared<const Claim>(std::move(claim));
}

Pod World::MakePod(const PodSpec& spec) {
  Pod pod;
  pod.uid = spec.uid;
  pod.namespace_name = "default";
  pod.name = spec.name;
  pod.has_conditions = true;
  for (const auto& [name, claim] : spec.claims) pod.claims.push_back({name, claim});
  for (const std::string& name : spec.containers) {
    Container container{name, ContainerKind::kContainer, {}};
    for (const auto& [claim, unused] : spec.claims) container.claims.push_back({claim, ""});
    pod.statuses.push_back({name, {false, pod.containers.size()}, {}, ""});
    pod.containers.push_back(std::move(container));
  }
  return pod;
}

void World::AddPod(const PodSpec& spec) { PutPod(MakePod(spec)); }

void World::PutPod(Pod pod) {
  const std::string uid = pod.uid;
  Put(std::move(pod));
  Send(event::PodChanged{pods_.at(uid)});
}

void World::Put(Pod pod) {
  pod.resource_version = std::to_string(++version_);
  const std::string uid = pod.uid;
  pods_[uid] = std::make_shared<const Pod>(std::move(pod));
}

void World::ChangePod(const std::string& uid, const std::function<void(Pod&)>& change) {
  ChangePodUnseen(uid, change);
  Send(event::PodChanged{pods_.at(uid)});
}

void World::ChangePodUnseen(const std::string& uid, const std::function<void(Pod&)>& change) {
  Pod copy = *pods_.at(uid);
  change(copy);
  Put(std::move(copy));
}

void World::DeletePod(const std::string& uid) {
  pods_.erase(uid);
  Send(event::PodDeleted{uid});
}

std::optional<ResourceHealth> World::Shown(const std::string& device, const std::string& uid,
                                           const std::string& driver) const {
  for (const auto& entry : pod(uid).statuses.at(0).claim_entries) {
    for (const auto& resource : entry.resources) {
      if (resource.resource_id == ResourceId({driver, kPool, device})) return resource;
    }
  }
  return std::nullopt;
}

std::optional<Health> World::Condition(const std::string& uid) const {
  const auto& condition = pod(uid).condition;
  return condition ? std::optional(condition->status.summary) : std::nullopt;
}

void World::RevertField(const std::string& uid) {
  ChangePod(uid, [](Pod& pod) {
    for (auto& status : pod.statuses) status.claim_entries.clear();
  });
}

void World::KubeletWrites(const std::vector<ResourceHealth>& resources, const std::string& uid) {
  ChangePod(uid, [&](Pod& pod) { pod.statuses.at(0).claim_entries = {{"claim:gpu", resources}}; });
}

std::vector<FieldDifference> World::Differences(const std::string& uid) const {
  std::vector<FieldDifference> all;
  const auto found = differences_.find(uid);
  if (found == differences_.end()) return all;
  for (const auto& [difference, since] : found->second.differences) all.push_back(difference);
  return all;
}

FieldState World::Field(const std::string& uid) const {
  return std::ranges::find(stored_.pods, uid, &PodRecord::uid)->field;
}

void World::Send(const Event& event) {
  pending_.push_back(event);
  if (std::exchange(sending_, true)) return;
  while (!pending_.empty()) {
    const Event next = std::move(pending_.front());
    pending_.erase(pending_.begin());
    CarryOut(reconciler_->Handle(next, now()));
  }
  sending_ = false;
}

void World::AnswerPatches() {
  for (const PodPatch& patch : std::exchange(held_, {})) Answer(patch);
}

std::size_t World::NoticesWith(const std::string& text) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      notices, [&](const std::string& notice) { return notice.find(text) != std::string::npos; }));
}

void World::CarryOut(Effects effects) {
  for (const StoreWrite& write : effects.writes) Store(write);
  for (Effect& effect : effects.effects) {
    if (const auto* open = std::get_if<effect::OpenStream>(&effect)) {
      streams_opened.push_back(*open);
      open_streams_.insert(open->id);
    } else if (const auto* close = std::get_if<effect::CloseStream>(&effect)) {
      open_streams_.erase(close->id);
      pending_.emplace_back(event::StreamEnded{close->id, false, "CANCELLED"});
    } else if (std::holds_alternative<effect::ReadCdiIds>(effect)) {
      ++cdi_reads;
      pending_.emplace_back(event::CdiIdsRead{cdi_ids});
    } else if (const auto* read = std::get_if<effect::ReadClaim>(&effect)) {
      ++claim_reads;
      event::ClaimRead answer{read->namespace_name, read->name, read->pod_uid,
                              Fail(ErrorKind::kItem, "claim " + read->name + " not found")};
      if (claim_error) {
        answer.claim = tl::unexpected(*claim_error);
      } else if (claims_.contains(read->name)) {
        answer.claim = claims_.at(read->name);
      }
      pending_.emplace_back(std::move(answer));
    } else if (const auto* pod_read = std::get_if<effect::ReadPod>(&effect)) {
      ++pod_reads;
      event::PodRead answer{pod_read->uid, Fail(ErrorKind::kItem, "pod not found")};
      for (const auto& [uid, pod] : pods_) {
        if (pod->name == pod_read->name) answer.pod = pod;
      }
      if (pod_error) answer.pod = tl::unexpected(*pod_error);
      pending_.emplace_back(std::move(answer));
    } else if (auto* patch = std::get_if<effect::Patch>(&effect)) {
      patches.push_back(patch->patch);
      if (hold_patches) {
        held_.push_back(patch->patch);
      } else {
        Answer(patch->patch);
      }
    } else if (const auto* published = std::get_if<effect::Published>(&effect)) {
      latencies.push_back(published->latency);
    } else if (const auto* notice = std::get_if<effect::Notice>(&effect)) {
      notices.push_back(notice->text);
    }
  }
  if (!pending_.empty() && !sending_) {
    const Event first = std::move(pending_.front());
    pending_.erase(pending_.begin());
    Send(first);
  }
}

void World::Answer(const PodPatch& patch) {
  event::PatchDone done{patch.pod->uid};
  const auto instead = answer_instead ? answer_instead(patch) : std::nullopt;
  if (instead) {
    done = *instead;
  } else if (!pods_.contains(patch.pod->uid)) {
    done.outcome = event::PatchOutcome::kGone;
  } else {
    done.outcome = event::PatchOutcome::kApplied;
    done.answer = Apply(patch);
  }
  pending_.emplace_back(done);
  if (!instead && done.answer != nullptr) {
    pending_.emplace_back(event::PodChanged{done.answer});  // the watch shows it too
    if (revert_at_once) {
      Pod reverted = *done.answer;
      for (auto& status : reverted.statuses) status.claim_entries.clear();
      Put(std::move(reverted));
      pending_.emplace_back(event::PodChanged{pods_.at(patch.pod->uid)});
    }
  }
  if (!sending_) {
    const Event first = std::move(pending_.front());
    pending_.erase(pending_.begin());
    Send(first);
  }
}

std::shared_ptr<const Pod> World::Apply(const PodPatch& patch) {
  Pod pod = *pods_.at(patch.pod->uid);
  for (const auto& container : patch.want.containers) {
    for (auto& status : pod.statuses) {
      if (status.path != container.path || drop_field) continue;
      status.claim_entries = container.entries;
      for (auto& entry : status.claim_entries) {
        for (auto& resource : entry.resources) {
          if (drop_messages) resource.message.clear();
        }
      }
    }
  }
  if (patch.want.condition) {
    pod.condition = ObservedCondition{0, *patch.want.condition, FormatTime(patch.now)};
  } else {
    pod.condition.reset();
  }
  Put(std::move(pod));
  return pods_.at(patch.pod->uid);
}

void World::Store(const StoreWrite& write) {
  writes.push_back(write);
  if (const auto* device = std::get_if<DeviceRecord>(&write)) {
    Replace(stored_.devices, *device, [](auto& a, auto& b) { return a.key == b.key; });
  } else if (const auto* transition = std::get_if<Transition>(&write)) {
    transitions.push_back(*transition);
  } else if (const auto* driver = std::get_if<DriverRecord>(&write)) {
    Replace(stored_.drivers, *driver, [](auto& a, auto& b) { return a.name == b.name; });
  } else if (const auto* pod = std::get_if<PodRecord>(&write)) {
    std::erase_if(stored_.pods, [&](auto& other) { return other.uid == pod->uid; });
    if (!pod->deleted) stored_.pods.push_back(*pod);
  } else if (const auto* allocation = std::get_if<AllocationRecord>(&write)) {
    Replace(stored_.allocations, *allocation, [](auto& a, auto& b) {
      return a.pod_uid == b.pod_uid && a.container == b.container && a.pod_claim == b.pod_claim &&
             a.request == b.request && a.key == b.key && a.share_id == b.share_id;
    });
  } else if (const auto* alive = std::get_if<AliveRecord>(&write)) {
    stored_.alive = *alive;
  } else if (const auto* cdi_id = std::get_if<CdiIdRecord>(&write)) {
    Replace(stored_.cdi_ids, *cdi_id, [](auto& a, auto& b) { return a.key == b.key; });
  } else if (const auto* all = std::get_if<FieldDifferences>(&write)) {
    differences_[all->pod_uid] = *all;
  } else if (const auto* forget = std::get_if<ForgetDevice>(&write)) {
    std::erase_if(stored_.devices, [&](auto& row) { return row.key == forget->key; });
  } else if (const auto* container = std::get_if<ContainerRecord>(&write)) {
    Replace(stored_.containers, *container, [](auto& a, auto& b) {
      return a.pod_uid == b.pod_uid && a.container == b.container && a.run.restart == b.run.restart;
    });
  } else if (const auto* end = std::get_if<EndAllocations>(&write)) {
    std::erase_if(stored_.allocations, [&](auto& row) { return row.pod_uid == end->pod_uid; });
  }
}

}  // namespace dra_health

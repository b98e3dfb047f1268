#include "reconciler/publisher.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dra_health {
namespace {

using std::chrono::seconds;

constexpr BackoffLimits kRetry{std::chrono::milliseconds{500}, std::chrono::milliseconds{30'000}};
// Refusals that only an administrator can end are tried again at this pace.
constexpr seconds kRefusedRetry{300};
constexpr seconds kForbiddenRetry{60};

// Resource versions are compared as numbers (KEP-5504); where they are none, every reading is
// taken.
bool IsOlder(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!is_number(a) || !is_number(b)) return false;
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

const ContainerStatus* FindStatus(const Pod& pod, const ContainerPublication& wanted) {
  const auto found = std::ranges::find_if(pod.statuses, [&](const ContainerStatus& status) {
    return status.name == wanted.container && status.path.init == wanted.path.init;
  });
  return found == pod.statuses.end() ? nullptr : &*found;
}

bool HasClaimEntries(const Pod& pod) {
  return std::ranges::any_of(
      pod.statuses, [](const ContainerStatus& status) { return !status.claim_entries.empty(); });
}

bool HasEntries(const Publication& publication) {
  return std::ranges::any_of(publication.containers,
                             [](const auto& container) { return !container.entries.empty(); });
}

void StripMessages(Publication& publication) {
  for (auto& container : publication.containers) {
    for (auto& entry : container.entries) {
      for (auto& resource : entry.resources) resource.message.clear();
    }
  }
}

// Texts and positions apart, do both say the same?
bool SameHealth(const Publication& a, const Publication& b) {
  const auto summary = [](const Publication& publication) {
    return publication.condition ? std::optional(publication.condition->summary) : std::nullopt;
  };
  return summary(a) == summary(b) &&
         std::ranges::equal(a.containers, b.containers, [](const auto& x, const auto& y) {
           return x.container == y.container && SameEntries(x.entries, y.entries, false);
         });
}

}  // namespace

Publisher::Publisher(const Settings& settings, const ServerTraits& server, std::uint64_t seed)
    : settings_(settings), server_(server), holder_(settings), backoff_(kRetry, seed) {}

void Publisher::Restore(FieldState state) {
  restored_ = state;
  ours_ = state == FieldState::kOwn || state == FieldState::kContested;
  if (state == FieldState::kDeferred) holder_.FoundForeign();
}

bool Publisher::Observe(std::shared_ptr<const Pod> pod, BootTime now) {
  reading_ = false;
  if (pod_ && IsOlder(pod->resource_version, pod_->resource_version)) return false;
  // Before our condition is on a pod, claim entries are the kubelet's.
  if (!pod_ && !ours_ && !pod->condition && HasClaimEntries(*pod)) holder_.FoundForeign();
  pod_ = std::move(pod);
  if (holding_ && !in_flight_ && !settings_.dry_run && !Holds(*acked_)) Reverted(now);
  return true;
}

std::optional<PodPatch> Publisher::Next(Moment now, const CdiNames& names) {
  wake_at_ = BootTime::max();
  if (busy() || !want_ || settings_.publish == PublishMode::kNever) return std::nullopt;
  wake_at_ = CompareField(names, now.boot);
  const Publication target = Sayable();
  const Difference difference = Compare(target);
  if (!difference.health && !difference.message) {
    if (acked_ != target) {
      acked_ = target;
      acked_at_ = now.boot;
    }
    holding_ = true;
    if (holder_.Writes()) wake_at_ = holder_.Kept(acked_at_, now.boot);
    return std::nullopt;
  }

  BootTime earliest = not_before_;
  const bool news = acked_ != target;
  const bool about_health = news && !(acked_ && SameHealth(*acked_, target));
  if (!news || (holder_.contested() && !about_health)) {
    earliest = std::max(earliest, holder_.reassert_at());
  }
  if (news && !difference.health && sent_) {
    earliest = std::max(earliest, sent_at_ + settings_.message_interval);
  }
  if (now.boot < earliest) {
    wake_at_ = std::min(earliest, wake_at_);
    return std::nullopt;
  }

  PodPatch patch{pod_, target, now.wall};
  std::erase_if(patch.want.containers, [&](const ContainerPublication& wanted) {
    const auto* said = Said(wanted);
    return said == nullptr || SameEntries(*said, wanted.entries, true);
  });
  for (auto& wanted : patch.want.containers) wanted.path = FindStatus(*pod_, wanted)->path;
  sent_ = target;
  sent_at_ = now.boot;
  in_flight_ = true;
  holding_ = false;
  return patch;
}

Publisher::Reaction Publisher::Done(const event::PatchDone& done, BootTime now) {
  in_flight_ = false;
  const bool other_server = std::exchange(reconnected_, false);
  switch (done.outcome) {
    case event::PatchOutcome::kApplied:
      backoff_.Reset();
      acked_ = sent_;
      acked_at_ = now;
      holding_ = true;
      ours_ = HasEntries(*sent_);
      if (done.answer == nullptr) return Reaction::kNone;
      if (!pod_ || !IsOlder(done.answer->resource_version, pod_->resource_version)) {
        pod_ = done.answer;
      }
      return Check(*done.answer, other_server, now);
    case event::PatchOutcome::kStale:
      // The first time the picture was merely old; when it goes on, slow down.
      if (backoff_.attempts() > 0) not_before_ = now + backoff_.Next();
      backoff_.Next();
      reading_ = true;
      return Reaction::kReread;
    case event::PatchOutcome::kInvalid:
      return LeaveOut(done);
    case event::PatchOutcome::kDenied:
    case event::PatchOutcome::kGone:  // the watch will tell; until then, leave it alone
      not_before_ = now + kRefusedRetry;
      return Reaction::kNone;
    case event::PatchOutcome::kForbidden:
      not_before_ = now + kForbiddenRetry;
      return Reaction::kNone;
    case event::PatchOutcome::kRetry:
      not_before_ = now + std::max(done.retry_after, backoff_.Next());
      return Reaction::kNone;
  }
  return Reaction::kNone;
}

void Publisher::RereadFailed(BootTime now) {
  reading_ = false;
  not_before_ = now + backoff_.Next();
}

void Publisher::RetryNow() {
  backoff_.Reset();
  not_before_ = {};
  refused_.clear();
  field_refused_ = false;
  reconnected_ = in_flight_;
}

FieldState Publisher::field_state() const {
  if (!want_) return restored_;
  if (!want_->condition) return FieldState::kNone;
  if (server_.drops_field || field_refused_) return FieldState::kDropped;
  if (!SaysField() || holder_.deferred()) return FieldState::kDeferred;
  if (holder_.contested()) return FieldState::kContested;
  return holding_ && acked_ && !acked_->containers.empty() ? FieldState::kOwn
                                                           : FieldState::kPending;
}

Publication Publisher::Sayable() const {
  Publication target = *want_;
  if (!target.condition) {
    LeaveFieldAlone(target);
    return target;
  }
  if (server_.drops_field || field_refused_) target.containers.clear();
  if (!SaysField()) {
    LeaveFieldAlone(target);
    return target;
  }
  if (server_.drops_messages) StripMessages(target);
  for (auto& container : target.containers) {
    std::erase_if(container.entries, [&](const ResourceStatus& entry) {
      return refused_.contains({container.container, entry.name});
    });
  }
  std::erase_if(target.containers, [](const auto& container) { return container.entries.empty(); });
  return target;
}

void Publisher::LeaveFieldAlone(Publication& target) const {
  target.containers.clear();
  const bool old = holder_.deferred() && holder_.Writes();  // a guard holds the kubelet's
  if (!ours_ && !old) return;
  for (const ContainerStatus& status : pod_->statuses) {
    // Of a kubelet's entries it is to be seen when they come back.
    if (status.claim_entries.empty() && !old) continue;
    target.containers.push_back({status.path, status.name, {}});
  }
}

// Where the field may not be held, saying nothing is right, and saying something old is not.
std::vector<FieldDifference> Publisher::Differences(const CdiNames& names) const {
  std::vector<FieldDifference> all;
  if (!want_ || (!hold_ && !HasClaimEntries(*pod_))) return all;
  for (const ContainerPublication& wanted : want_->containers) {
    const ContainerStatus* status = FindStatus(*pod_, wanted);
    if (status != nullptr) AddDifferences(status->claim_entries, wanted, names, all);
  }
  return all;
}

BootTime Publisher::CompareField(const CdiNames& names, BootTime now) {
  if (!want_->condition || server_.drops_field || field_refused_) return BootTime::max();
  const bool empty = !HasClaimEntries(*pod_);
  if (!hold_ && !ours_ && !empty) holder_.FoundForeign();
  if (!holder_.deferred() || holder_.Writes()) return BootTime::max();
  const bool differs =
      std::ranges::any_of(Differences(names), [](const auto& d) { return d.ours != d.theirs; });
  return holder_.Compare(differs, empty, now);
}

const std::vector<ResourceStatus>* Publisher::Said(const ContainerPublication& wanted) const {
  if (settings_.dry_run && acked_) {
    for (const auto& acked : acked_->containers) {
      if (acked.container == wanted.container) return &acked.entries;
    }
  }
  const ContainerStatus* status = FindStatus(*pod_, wanted);
  return status == nullptr ? nullptr : &status->claim_entries;
}

Publisher::Difference Publisher::Compare(const Publication& target) const {
  Difference difference;
  for (const auto& wanted : target.containers) {
    const auto* said = Said(wanted);
    if (said == nullptr) continue;
    if (!SameEntries(*said, wanted.entries, false)) {
      difference.health = true;
    } else if (!SameEntries(*said, wanted.entries, true)) {
      difference.message = true;
    }
  }
  std::optional<ConditionStatus> said;
  if (pod_->condition) said = pod_->condition->status;
  if (settings_.dry_run && acked_) said = acked_->condition;
  if (said.has_value() != target.condition.has_value() ||
      (said && said->summary != target.condition->summary)) {
    difference.health = true;
  } else if (said && *said != *target.condition) {
    difference.message = true;
  }
  return difference;
}

bool Publisher::Holds(const Publication& publication) const {
  const Difference difference = Compare(publication);
  return !difference.health && !difference.message;
}

void Publisher::Reverted(BootTime now) {
  holding_ = false;
  ours_ = false;
  ++all_reverts_;
  const bool replaced = std::ranges::any_of(acked_->containers, [&](const auto& ours) {
    const auto* said = Said(ours);
    return said != nullptr && !said->empty() && !SameEntries(*said, ours.entries, true);
  });
  holder_.Lost(replaced, acked_at_, now);
}

Publisher::Reaction Publisher::Check(const Pod& answer, bool other_server, BootTime now) {
  bool dropped = false;
  bool messages_dropped = false;
  for (const auto& wanted : sent_->containers) {
    const ContainerStatus* status = FindStatus(answer, wanted);
    if (status == nullptr || wanted.entries.empty()) continue;
    if (status->claim_entries.empty()) {
      dropped = true;
    } else if (SameEntries(status->claim_entries, wanted.entries, false) &&
               !SameEntries(status->claim_entries, wanted.entries, true)) {
      messages_dropped = true;
    }
  }
  if (dropped || messages_dropped) {
    acked_.reset();
    holding_ = false;
    if (other_server) return Reaction::kNone;
    return dropped ? Reaction::kFieldDropped : Reaction::kMessageDropped;
  }
  // The watch may already have shown what another writer made of it.
  if (!Holds(*acked_)) Reverted(now);
  return Reaction::kNone;
}

Publisher::Reaction Publisher::LeaveOut(const event::PatchDone& done) {
  bool named = false;
  for (const event::InvalidEntry& invalid : done.invalid) {
    for (const auto& container : sent_->containers) {
      const ContainerStatus* status = FindStatus(*pod_, container);
      if (status == nullptr || status->path != invalid.path) continue;
      for (std::size_t i = 0; i < container.entries.size(); ++i) {
        if (invalid.entry && *invalid.entry != i) continue;
        named |= refused_.emplace(container.container, container.entries[i].name).second;
      }
    }
  }
  // Where the server does not say which, the condition alone must do.
  if (!named) {
    if (field_refused_) not_before_ = sent_at_ + kRefusedRetry;
    field_refused_ = true;
  }
  return Reaction::kRefusedEntries;
}

}  // namespace dra_health

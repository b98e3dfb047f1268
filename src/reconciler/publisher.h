#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "model/event.h"
#include "model/publication.h"
#include "model/record.h"
#include "model/settings.h"
#include "reconciler/field_difference.h"
#include "reconciler/field_holder.h"

namespace dra_health {

// What the API server was seen to do with the field; shared by all pods, forgotten when the
// connection was lost, because another server with other feature gates may answer then.
struct ServerTraits {
  bool drops_field = false;     // gate ResourceHealthStatus off: answers 200 without the field
  bool drops_messages = false;  // gate ResourceHealthStatusMessage off, or a server before 1.36
};

// Says one pod's health to the API server and notices whether it stays said.
//
// Holds the newest thing to say, what the pod said when last read, and decides when to send: at
// once when health changed; message-only changes at most once in Settings::message_interval; never
// when the pod already says it. One patch under way at most, so nothing queues up. Whether the
// field is part of a patch, and when again after another writer took it away, FieldHolder says;
// anything new to say about health is sent with the condition all the same.
//
// Pure; one thread.
class Publisher {
 public:
  Publisher(const Settings& settings, const ServerTraits& server, std::uint64_t seed);

  // How the field stood in an earlier run; before the first Observe.
  void Restore(FieldState state);

  // A reading of the pod. Readings older than the last are ignored, which a watch can deliver after
  // the answer to a patch. Returns whether it was taken.
  bool Observe(std::shared_ptr<const Pod> pod, BootTime now);

  // nullopt: not known yet, leave the pod alone.
  void Want(std::optional<Publication> want) { want_ = std::move(want); }

  // Whether the field may be held at all; see HoldPods. Where it may not, our entries are taken
  // back, and so are a kubelet's that a guard keeps although they are old.
  void Hold(bool hold) {
    hold_ = hold;
    holder_.MayHold(hold);
  }

  // The patch to send now; REQUIRES to be answered with Done. Otherwise ask again at wake_at() or
  // when something has changed.
  std::optional<PodPatch> Next(Moment now, const CdiNames& names);
  BootTime wake_at() const { return wake_at_; }

  // What the answer asks of the caller.
  enum class Reaction {
    kNone,
    kReread,          // read the pod and call Observe or RereadFailed
    kFieldDropped,    // the server does not keep the field
    kMessageDropped,  // ... or not the messages
    kRefusedEntries,  // the server refuses some entries; the rest goes on
  };
  Reaction Done(const event::PatchDone& done, BootTime now);
  void RereadFailed(BootTime now);

  // The API server is back, maybe another one: forget the backoff and what was refused.
  void RetryNow();

  const Pod& pod() const { return *pod_; }
  const std::optional<Publication>& want() const { return want_; }
  FieldState field_state() const;
  // Where the field says something else than we would.
  std::vector<FieldDifference> Differences(const CdiNames& names) const;
  int failures() const { return backoff_.attempts(); }  // in a row
  bool busy() const { return in_flight_ || reading_; }
  // How often another writer took away what had been published.
  std::uint64_t all_reverts() const { return all_reverts_; }

 private:
  struct Difference {
    bool health = false;   // of the field or the condition, including their absence
    bool message = false;  // only texts differ
  };
  // What can be said: without what the server refuses or drops, and what is left to the kubelet.
  Publication Sayable() const;
  void LeaveFieldAlone(Publication& target) const;
  bool SaysField() const { return hold_ && holder_.Writes(); }
  BootTime CompareField(const CdiNames& names, BootTime now);
  // What the pod is taken to say about a container: as read, or as last printed in a dry run.
  const std::vector<ResourceStatus>* Said(const ContainerPublication& wanted) const;
  Difference Compare(const Publication& target) const;
  bool Holds(const Publication& publication) const;
  void Reverted(BootTime now);
  Reaction Check(const Pod& answer, bool other_server, BootTime now);
  Reaction LeaveOut(const event::PatchDone& done);

  const Settings& settings_;
  const ServerTraits& server_;
  std::shared_ptr<const Pod> pod_;
  std::optional<Publication> want_;

  std::optional<Publication> sent_;   // under way or last sent, whole
  std::optional<Publication> acked_;  // what the pod last said of ours
  BootTime sent_at_;
  BootTime acked_at_;
  bool in_flight_ = false;
  bool reconnected_ =
      false;  // since the patch under way was sent: its answer tells of the old server
  bool reading_ = false;
  bool holding_ = false;  // acked_ was still there at the last reading

  FieldHolder holder_;
  FieldState restored_ = FieldState::kPending;  // until there is something to say
  bool hold_ = true;
  bool ours_ = false;  // what claim entries the pod carries are ours
  std::uint64_t all_reverts_ = 0;

  Backoff backoff_;
  BootTime not_before_;
  BootTime wake_at_ = BootTime::max();

  std::set<std::pair<std::string, std::string>> refused_;  // container and entry name
  bool field_refused_ = false;
};

}  // namespace dra_health

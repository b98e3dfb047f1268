#pragma once

#include <optional>

#include "base/clock.h"
#include "model/settings.h"

namespace dra_health {

// Who holds the field of one pod, and when our entries may be written into it.
//
// Another writer that takes our entries away is a kubelet with its gate off: they are put back at
// growing intervals, at most 6 times in the first 10 minutes, then once in 5 minutes. One that
// writes entries of its own in their place is a kubelet with its gate on: the field is left to it,
// as long as it says the same of each device. Where it goes on saying something else after its next
// tick, a guard may be holding old entries of its own: ours are tried, at those intervals too, and
// when they survive two ticks the field is ours.
//
// Pure; one thread.
class FieldHolder {
 public:
  explicit FieldHolder(const Settings& settings) : settings_(settings) {}

  // A pod whose field may not be held is treated as in PublishMode::kAuto at most: what a kubelet
  // writes there is right or is taken away.
  void MayHold(bool may_hold);

  // The pod carries entries that another writer made and that we have no say in.
  void FoundForeign();

  // Our entries, written at `written`, are not there any more: taken away, or `replaced`.
  void Lost(bool replaced, BootTime written, BootTime now);
  // They still are. Returns when to say so again; max: never.
  BootTime Kept(BootTime written, BootTime now);
  // While deferred: the field says something else than we would (`empty`: nothing), or the same.
  // Returns when to compare again although nothing has changed; max: never.
  BootTime Compare(bool differs, bool empty, BootTime now);

  bool deferred() const { return stand_ != Stand::kOwn; }  // while it is tried too
  bool contested() const { return contested_; }
  // Our entries may be written, if nothing but time is in the way: see reassert_at.
  bool Writes() const;
  // Entries that were lost before are not written before this.
  BootTime reassert_at() const { return reassert_at_; }

 private:
  enum class Stand { kOwn, kDeferred, kTrying };

  PublishMode mode() const {
    return !may_hold_ && settings_.publish == PublishMode::kAlways ? PublishMode::kAuto
                                                                   : settings_.publish;
  }

  const Settings& settings_;
  bool may_hold_ = true;
  Stand stand_ = Stand::kOwn;
  int losses_ = 0;  // in a row
  bool contested_ = false;
  BootTime reassert_at_;
  std::optional<BootTime> differs_since_;
};

}  // namespace dra_health

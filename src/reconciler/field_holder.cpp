#include "reconciler/field_holder.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dra_health {
namespace {

using std::chrono::seconds;

// A kubelet that has something else to say says it at its next tick of 10 s.
constexpr seconds kNextTick{12};
// A write that survived two of them is not contested any more.
constexpr seconds kHolds{25};
// How long to wait before the n-th time of putting back what was lost, in twentieths of the longest
// wait: 0, 15, 45, 120 and 300 s by default.
constexpr std::array kReassert = {0, 1, 3, 8, 20};
// The intervals start small again after peace for twice the longest.
constexpr int kPeace = 2;

}  // namespace

void FieldHolder::MayHold(bool may_hold) {
  may_hold_ = may_hold;
  if (mode() == PublishMode::kAlways) stand_ = Stand::kOwn;
}

void FieldHolder::FoundForeign() {
  if (mode() == PublishMode::kAuto && stand_ == Stand::kOwn) stand_ = Stand::kDeferred;
}

bool FieldHolder::Writes() const {
  switch (mode()) {
    case PublishMode::kAuto:
      return stand_ != Stand::kDeferred;
    case PublishMode::kAlways:
      return true;
    case PublishMode::kConditionOnly:
    case PublishMode::kNever:
      break;
  }
  return false;
}

void FieldHolder::Lost(bool replaced, BootTime written, BootTime now) {
  if (now - written >= kPeace * settings_.reassert_interval) losses_ = 0;
  // Only what a container's restart may have taken is put back at once; a try has no such excuse.
  if (stand_ == Stand::kTrying) losses_ = std::max(losses_, 1);
  const auto step = std::min<std::size_t>(static_cast<std::size_t>(losses_), kReassert.size() - 1);
  const std::chrono::milliseconds longest = settings_.reassert_interval;
  reassert_at_ = now + longest * kReassert[step] / kReassert.back();
  ++losses_;
  differs_since_.reset();
  // A condition alone can be lost while the field is the kubelet's.
  const bool defer = stand_ == Stand::kDeferred || (replaced && mode() == PublishMode::kAuto);
  stand_ = defer ? Stand::kDeferred : Stand::kOwn;
  // Once is no contest: a container that restarts loses the field too.
  contested_ = !defer && losses_ >= 2;
}

BootTime FieldHolder::Kept(BootTime written, BootTime now) {
  if (!contested_ && stand_ != Stand::kTrying) return BootTime::max();
  if (now < written + kHolds) return written + kHolds;
  contested_ = false;
  stand_ = Stand::kOwn;
  return BootTime::max();
}

BootTime FieldHolder::Compare(bool differs, bool empty, BootTime now) {
  if (!differs) {
    differs_since_.reset();
    return BootTime::max();
  }
  if (!differs_since_) differs_since_ = now;
  const BootTime due = std::max(empty ? now : *differs_since_ + kNextTick, reassert_at_);
  if (now < due) return due;
  stand_ = Stand::kTrying;
  return BootTime::max();
}

}  // namespace dra_health

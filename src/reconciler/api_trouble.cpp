#include "reconciler/api_trouble.h"

#include <algorithm>
#include <utility>

namespace dra_health {
namespace {

using effect::Severity;

constexpr BackoffLimits kPause{std::chrono::milliseconds{500}, std::chrono::milliseconds{15'000}};
constexpr std::chrono::seconds kStart{30};
// Reasons can carry names; what was said is forgotten rather than kept without bound.
constexpr std::size_t kMostSaid = 4096;

}  // namespace

ApiTrouble::ApiTrouble(std::uint64_t seed) : pause_(kPause, seed) {}

bool ApiTrouble::Note(const event::PatchDone& done, const std::string& pod, BootTime now,
                      Effects& effects) {
  switch (done.outcome) {
    case event::PatchOutcome::kRetry:
      ++failures_;
      if (!std::exchange(failing_, true)) {
        effects.effects.emplace_back(
            effect::Notice{Severity::kWarning, "patching pods fails, retrying: " + done.why});
      }
      if (away()) paused_until_ = now + pause_.Next();
      paused_until_ = std::max(paused_until_, now + done.retry_after);
      return false;
    case event::PatchOutcome::kForbidden:
      // An API server that starts refuses all until it has read the roles, for a second or so.
      if (away() && !starting_until_) {
        starting_until_ = now + kStart;
        pause_.Reset();
      }
      if (now < starting_until_) {
        paused_until_ = now + pause_.Next();
        return false;
      }
      SayOnce("forbidden", Severity::kError, "may not patch pods: " + done.why, effects);
      break;
    case event::PatchOutcome::kDenied:
      SayOnce("denied", Severity::kError, "the patch of pod " + pod + " was denied: " + done.why,
              effects);
      break;
    default:
      break;
  }
  // The server answered, whatever it said.
  if (std::exchange(failing_, false)) {
    effects.effects.emplace_back(
        effect::Notice{Severity::kInfo, "the API server answers patches again"});
  }
  const bool was_away = away();
  Resume();
  return was_away;
}

void ApiTrouble::Reconnected() {
  said_.clear();
  Resume();
}

void ApiTrouble::Resume() {
  failures_ = 0;
  starting_until_.reset();
  pause_.Reset();
  paused_until_ = {};
}

void ApiTrouble::SayOnce(const std::string& key, Severity severity, std::string text,
                         Effects& effects) {
  if (said_.size() >= kMostSaid) said_.clear();
  if (said_.insert(key).second) {
    effects.effects.emplace_back(effect::Notice{severity, std::move(text)});
  }
}

}  // namespace dra_health

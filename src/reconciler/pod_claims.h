#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error.h"
#include "model/claim.h"
#include "model/record.h"
#include "reconciler/allocation.h"

namespace dra_health {

// The ResourceClaims of one pod: which there are, which are still to be read.
//
// Each pod keeps the claim as it was when it was read for it. A claim of the same name can be
// another one for the next pod, and for seconds both can stand (kubernetes/kubernetes#141471). An
// allocated claim does not change while it is reserved, so it is read once. Pure; one thread.
class PodClaims {
 public:
  explicit PodClaims(std::uint64_t seed) : seed_(seed) {}

  // An ended pod's claims as its allocations tell: they are released at its end, and may be gone.
  void Restore(std::span<const AllocationRecord> allocations);
  void Learn(const Pod& pod);

  // Names of the claims to read now; each is then expected to be answered.
  std::vector<std::string> TakeDue(BootTime now);
  BootTime NextDeadline() const;
  // Returns whether the claim's devices have become known.
  bool Answer(const std::string& name, const Result<std::shared_ptr<const Claim>>& answer,
              BootTime now);
  // Whether an operator should hear of it now: it keeps failing and was not said before.
  bool ShouldTell(const std::string& name);

  // Every claim was asked for and answered, if only by "there is none" or "you may not".
  bool answered() const;
  // By the name in the pod's spec; nullptr while not allocated or not read.
  const Claim* Find(const std::string& pod_claim) const;

 private:
  struct Reading {
    std::shared_ptr<const Claim> claim = {};  // allocated
    bool answered = false;
    std::optional<BootTime> due{BootTime{}};  // none: under way or done
    bool told = false;
    Backoff backoff;
  };
  std::uint64_t seed_;
  ClaimLinks links_;
  std::map<std::string, Reading> readings_;  // by name of the ResourceClaim
};

}  // namespace dra_health

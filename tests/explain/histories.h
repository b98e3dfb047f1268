#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cache/history.h"
#include "explain/verdict.h"
#include "tests/cache/records.h"

namespace dra_health {

// "gpu-0" as it turned: each element is a second and what the device was from then on. It was
// Unknown before the first.
struct Turn {
  int at;
  Health to;
  std::string message = "";
  UnknownReason reason = UnknownReason::kNone;
};

inline std::vector<Transition> Turns(const std::string& device, std::vector<Turn> turns) {
  std::vector<Transition> transitions;
  Health from = Health::kUnknown;
  for (Turn& turn : turns) {
    Transition transition{.at = At(turn.at), .key = Gpu(device), .from = from, .to = turn.to};
    transition.message = std::move(turn.message);
    transition.reason = turn.reason;
    if (turn.to == Health::kUnknown && turn.reason == UnknownReason::kNone) {
      transition.reason = UnknownReason::kLeaseExpired;
    }
    from = turn.to;
    transitions.push_back(std::move(transition));
  }
  return transitions;
}

inline HeldDevice Held(const std::string& device, std::vector<Turn> turns) {
  return {Gpu(device), HealthOf(Gpu(device), Turns(device, std::move(turns)), nullptr), ""};
}

}  // namespace dra_health

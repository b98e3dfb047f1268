#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "model/record.h"

namespace dra_health {

// The differences of one pod's field that last: two writers that hear of a change are never at the
// same moment, and that is no news. Pure; one thread.
class LastingDifferences {
 public:
  // What differs now. Returns the list if it has changed, and the first time, since an earlier run
  // may have left another.
  std::optional<std::vector<std::pair<FieldDifference, WallTime>>> Update(
      std::vector<FieldDifference> differences, Moment now);

  // When time alone makes a difference a lasting one; max: never.
  BootTime wake_at() const { return wake_at_; }
  std::size_t size() const { return told_.value_or(0); }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // container, entry, resource ID
  struct Seen {
    FieldDifference difference;
    Moment since;
    bool lasting = false;
  };
  std::map<Key, Seen> seen_;
  std::optional<std::size_t> told_;
  BootTime wake_at_ = BootTime::max();
};

}  // namespace dra_health

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/summary.h"
#include "observe/health_board.h"

namespace dra_health {

struct StoreStatus {
  bool writable = true;
  std::uintmax_t bytes = 0;      // of the file and what belongs to it
  std::uint64_t failures = 0;    // failed attempts to write
  std::size_t kept = 0;          // records that wait in memory
  std::size_t lost_records = 0;  // at the limit of that memory
  std::uint64_t lost_files = 0;  // found broken, deleted or replaced
};

// The agent's state when somebody looked.
struct Observation {
  Summary summary;
  StoreStatus store;
  std::vector<Check> checks;  // of readiness; the loop's own is not among them
};

}  // namespace dra_health

#pragma once

#include <tl/expected.hpp>

#include "sim/api_server/http_message.h"
#include "sim/api_server/json.h"

namespace dra_health::sim {

// What an operator has set up.
struct PodRules {
  bool resource_health_status = true;
  bool resource_health_status_message = true;
  bool guard = false;
};

enum class Writer { kClient, kNode };

// What becomes of `patched`, an update of `old` through the status subresource, in the order of a
// real server: decode, admit (the guard, for nodes), keep what the subresource may not change, drop
// what is gated off, validate. Of the metadata labels, annotations and finalizers can be changed:
// a real server lets them pass too.
tl::expected<Json, ApiResponse> UpdatedPod(const Json& old, const Json& patched, Writer writer,
                                           const PodRules& rules);

// The list without entries that begin with "claim:", or only those.
Json EntriesOfOthers(const Json& list);
Json ClaimEntries(const Json& list);

}  // namespace dra_health::sim

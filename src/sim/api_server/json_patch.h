#pragma once

#include <string>

#include <tl/expected.hpp>

#include "sim/api_server/http_message.h"
#include "sim/api_server/json.h"

namespace dra_health::sim {

// Applies an RFC 6902 patch as a real server does: 400 for a text that is no patch, 413 for more
// than 10000 operations, 422 without a hint for one that does not apply. As there, `test` with
// null also holds where the path is absent.
tl::expected<Json, ApiResponse> ApplyPatch(Json document, const std::string& patch);

}  // namespace dra_health::sim

#include "sim/api_server/json_patch.h"

#include <cstddef>
#include <utility>

#include "sim/api_server/status_answer.h"

namespace dra_health::sim {

namespace {

constexpr std::size_t kMostOperations = 10'000;

bool IsTestOfNothing(const Json& operation) {
  return Text(operation, "op") == "test" && operation.contains("value") &&
         operation["value"].is_null();
}

// Throws what nlohmann's patch throws.
void Apply(Json& document, const Json& operation) {
  if (IsTestOfNothing(operation) &&
      !document.contains(Json::json_pointer(Text(operation, "path")))) {
    return;
  }
  document.patch_inplace(Json::array({operation}));
}

}  // namespace

tl::expected<Json, ApiResponse> ApplyPatch(Json document, const std::string& patch) {
  const Json operations = Json::parse(patch, nullptr, /*allow_exceptions=*/false);
  if (!operations.is_array()) {
    return tl::unexpected(BadRequest("error decoding patch: it is not a JSON array of operations"));
  }
  if (operations.size() > kMostOperations) {
    return tl::unexpected(Failure(413, "RequestEntityTooLarge",
                                  "The allowed maximum operations in a JSON patch is 10000, got " +
                                      std::to_string(operations.size())));
  }
  for (const Json& operation : operations) {
    if (!operation.is_object()) {
      return tl::unexpected(BadRequest("error decoding patch: an operation is not an object"));
    }
    try {
      Apply(document, operation);
    } catch (const Json::exception&) {
      return tl::unexpected(PatchFailed());
    }
  }
  return document;
}

}  // namespace dra_health::sim

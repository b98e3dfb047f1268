// A ResourceClaim: what was read and written again is read the same.
#include <nlohmann/json.hpp>

#include "patcher/claim_reader.h"
#include "tests/fuzz/fuzz.h"

namespace dra_health {
namespace {

using nlohmann::json;

json ToJson(const Claim& claim) {
  json results = json::array();
  for (const AllocationResult& result : claim.results) {
    results.push_back({{"request", result.request},
                       {"driver", result.key.driver},
                       {"pool", result.key.pool},
                       {"device", result.key.device},
                       {"shareID", result.share_id}});
  }
  json document{{"metadata",
                 {{"uid", claim.uid}, {"namespace", claim.namespace_name}, {"name", claim.name}}}};
  if (claim.allocated) document["status"]["allocation"]["devices"]["results"] = std::move(results);
  return document;
}

}  // namespace

void FuzzOne(std::string_view input) {
  const auto claim = ReadClaimText(input);
  if (!claim) {
    Require(claim.error().kind == ErrorKind::kItem, "a claim that cannot be read is one item");
    return Require(!claim.error().message.empty(), "what cannot be read has a reason");
  }
  const Claim& read = **claim;
  Require(!read.uid.empty() && !read.namespace_name.empty() && !read.name.empty(),
          "a claim has a name");
  Require(read.allocated || read.results.empty(), "devices come by an allocation");
  for (const AllocationResult& result : read.results) {
    Require(!result.key.driver.empty() && !result.key.pool.empty() && !result.key.device.empty(),
            "a device has a name");
  }
  const auto again = ReadClaimText(ToJson(read).dump());
  Require(again.has_value() && ToJson(**again) == ToJson(read), "a claim stays the same",
          ToJson(read).dump());
}

}  // namespace dra_health

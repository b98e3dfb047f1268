#include "patcher/claim_reader.h"

#include <string>

#include <nlohmann/json.hpp>

#include "patcher/json_node.h"

namespace dra_health {

Result<std::shared_ptr<const Claim>> ReadClaimText(std::string_view text) {
  const nlohmann::json json = ParseJson(text);
  if (json.is_discarded()) return Fail(ErrorKind::kItem, "a ResourceClaim that is not JSON");

  std::string problem;
  const JsonNode root(json, problem);
  auto claim = std::make_shared<Claim>();
  claim->uid = root["metadata"]["uid"].RequiredText();
  claim->namespace_name = root["metadata"]["namespace"].RequiredText();
  claim->name = root["metadata"]["name"].RequiredText();
  const JsonNode allocation = root["status"]["allocation"];
  claim->allocated = allocation.exists();
  for (const JsonNode& result : allocation["devices"]["results"].Items()) {
    claim->results.push_back({.request = result["request"].Text(),
                              .key = {.driver = result["driver"].RequiredText(),
                                      .pool = result["pool"].RequiredText(),
                                      .device = result["device"].RequiredText()},
                              .share_id = result["shareID"].Text()});
  }

  if (problem.empty()) return claim;
  return Fail(ErrorKind::kItem, "ResourceClaim " + claim->namespace_name + "/" + claim->name +
                                    " cannot be read: " + problem);
}

}  // namespace dra_health

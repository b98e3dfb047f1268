#include "patcher/claim_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dra_health {
namespace {

using nlohmann::json;

json SampleClaim() {
  return json::parse(R"({
    "metadata": {"uid": "u", "namespace": "shop", "name": "web-gpu"},
    "spec": {"devices": {"requests": [{"name": "gpu"}]}},
    "status": {
      "reservedFor": [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g"}],
      "allocation": {"devices": {"results": [
        {"request": "gpu/big", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0",
         "adminAccess": null, "shareID": "s1"},
        {"driver": "gpu.example.com", "pool": "a/b", "device": "gpu-0", "shareID": "s2"}]}}}})");
}

TEST(ClaimReader, ReadsEveryResult) {
  const auto claim = ReadClaimText(SampleClaim().dump());
  ASSERT_TRUE(claim);
  EXPECT_EQ((*claim)->name, "web-gpu");
  EXPECT_EQ((*claim)->namespace_name, "shop");
  EXPECT_TRUE((*claim)->allocated);
  ASSERT_EQ((*claim)->results.size(), 2u);
  EXPECT_EQ((*claim)->results[0].request, "gpu/big");
  EXPECT_EQ((*claim)->results[0].key, (DeviceKey{"gpu.example.com", "node-1", "gpu-0"}));
  EXPECT_EQ((*claim)->results[0].share_id, "s1");
  EXPECT_EQ((*claim)->results[1].request, "");
  EXPECT_EQ((*claim)->results[1].key.pool, "a/b");
}

TEST(ClaimReader, AClaimWithoutAllocationHasNone) {
  json sample = SampleClaim();
  for (const char* status : {"null", "{}", R"({"allocation": null})"}) {
    sample["status"] = json::parse(status);
    const auto claim = ReadClaimText(sample.dump());
    ASSERT_TRUE(claim) << status;
    EXPECT_FALSE((*claim)->allocated) << status;
    EXPECT_TRUE((*claim)->results.empty()) << status;
  }
}

TEST(ClaimReader, AnAllocationCanBeWithoutDevices) {
  json sample = SampleClaim();
  sample["status"]["allocation"] = {{"devices", {{"results", nullptr}}}};
  const auto claim = ReadClaimText(sample.dump());
  ASSERT_TRUE(claim);
  EXPECT_TRUE((*claim)->allocated);
}

TEST(ClaimReader, MalformedClaimsAreErrorsThatNameTheField) {
  json sample = SampleClaim();
  sample["status"]["allocation"]["devices"]["results"][1]["device"] = nullptr;
  const auto claim = ReadClaimText(sample.dump());
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().kind, ErrorKind::kItem);
  EXPECT_THAT(claim.error().message,
              testing::HasSubstr("ResourceClaim shop/web-gpu cannot be read: "
                                 "status.allocation.devices.results[1].device is missing"));
  for (const char* text : {"", "{}", "[]", "<html>"}) EXPECT_FALSE(ReadClaimText(text)) << text;
}

}  // namespace
}  // namespace dra_health

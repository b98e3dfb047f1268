#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "sim/api_server/api_server.h"
#include "tests/sim_api_server/samples.h"
#include "tests/sim_api_server/test_client.h"

namespace dra_health::sim {

inline constexpr std::chrono::seconds kPatience{10};
inline constexpr const char* kPodPath = "/api/v1/namespaces/default/pods/pod-1";
inline constexpr const char* kWatchPath =
    "/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dnode-1&allowWatchBookmarks=true";

// A server with one pod.
class ApiServerFixture : public testing::Test {
 protected:
  void Start(ApiServerOptions options = {}) {
    server_ = std::make_unique<ApiServer>(std::move(options));
    const auto started = server_->Start();
    ASSERT_TRUE(started) << started.error().message;
    server_->PutPod(SamplePod().dump());
  }

  std::unique_ptr<ApiServer> server_;
};

// "ADDED pod-1" for a watch's line, "END" for its end.
inline std::string Brief(const std::optional<std::string>& line) {
  if (!line) return "END";
  const Json event = Json::parse(*line, nullptr, false);
  if (event.is_discarded()) return "GARBAGE";
  return Text(event, "type") + " " + MetadataText(event["object"], "name");
}

}  // namespace dra_health::sim

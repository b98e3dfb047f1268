#include "node.h"

#include <cstdlib>
#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cache/store_reader.h"
#include "model/pod.h"
#include "patcher/http_threads.h"

namespace dra_health {
namespace {

using Json = nlohmann::json;

constexpr const char* kNode = "node-1";
constexpr const char* kDriver = "gpu.example.com";

sim::DriverOptions DriverIn(const std::filesystem::path& folder) {
  sim::DriverOptions options;
  options.name = kDriver;
  options.registration_dir = folder / "plugins_registry";
  options.plugins_dir = folder / "plugins";
  std::filesystem::create_directories(options.registration_dir);
  std::filesystem::create_directories(options.plugins_dir);
  return options;
}

bool WaitUntil(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

DeviceReport Device(const std::string& name, Health health, const std::string& message,
                    std::chrono::seconds lease) {
  return {kNode, name, health, message, 0, lease};
}

Node::Node(sim::ApiServerOptions api_options)
    : api(std::move(api_options)), driver(DriverIn(folder_.path())) {
  StartHttpThreads();
  const auto started = api.Start();
  EXPECT_TRUE(started) << started.error().message;
  api.PutNode(kNode);
  const auto written = api.WriteKubeconfig(folder_ / "kubeconfig");
  EXPECT_TRUE(written) << written.error().message;
  options_.api.node_name = kNode;
  options_.api.kubeconfig = folder_ / "kubeconfig";
  options_.discovery.registration_dir = folder_ / "plugins_registry";
  options_.store = folder_ / "health.db";
}

Node::~Node() {
  StopAgent();
  driver.Stop();
  api.Stop();
}

void Node::AddPod(const std::string& name, const std::vector<std::string>& devices) {
  Json results = Json::array();
  for (const std::string& device : devices) {
    results.push_back({{"request", "r"}, {"driver", kDriver}, {"pool", kNode}, {"device", device}});
  }
  api.PutClaim(Json{{"metadata", {{"name", name + "-claim"}, {"namespace", "default"}}},
                    {"status", {{"allocation", {{"devices", {{"results", results}}}}}}}}
                   .dump());
  api.PutPod(Json{
      {"metadata", {{"name", name}, {"namespace", "default"}}},
      {"spec",
       {{"nodeName", kNode},
        {"resourceClaims", {{{"name", "gpu"}, {"resourceClaimName", name + "-claim"}}}},
        {"containers", {{{"name", "main"}, {"resources", {{"claims", {{{"name", "gpu"}}}}}}}}}}},
      {"status",
       {{"phase", "Running"},
        {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
        {"containerStatuses", {{{"name", "main"}, {"ready", true}}}}}}}
                 .dump());
}

void Node::StartAgent() { agent_ = std::make_unique<AgentThread>(options_); }

bool Node::StopAgent() {
  if (!agent_) return true;
  agent_->Stop();
  const bool well = agent_->ended_well();
  agent_.reset();
  return well;
}

Shown Node::Read(const std::string& pod_json, const std::string& device) {
  Shown shown;
  if (pod_json.empty()) return shown;
  const Json pod = Json::parse(pod_json);
  for (const Json& status : pod["status"]["containerStatuses"]) {
    for (const Json& entry : status.value("allocatedResourcesStatus", Json::array())) {
      for (const Json& resource : entry["resources"]) {
        if (resource["resourceID"] != std::string(kDriver) + "/" + kNode + "/" + device) continue;
        shown.health = resource["health"];
        shown.message = resource.value("message", "");
      }
    }
  }
  for (const Json& condition : pod["status"].value("conditions", Json::array())) {
    if (condition["type"] == kConditionType) shown.condition = condition["status"];
  }
  return shown;
}

bool Node::WaitUntilShown(const std::string& pod, const std::string& device,
                          const std::string& health, const std::string& condition) {
  return api.WaitForPod(
      "default", pod,
      [&](const std::string& json) {
        const Shown shown = Read(json, device);
        return shown.health == health && shown.condition == condition;
      },
      kPatience);
}

std::vector<Transition> Node::Transitions() {
  auto reader = StoreReader::Open(options_.store);
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return {};
  }
  auto transitions = reader->Transitions({}, 0);
  EXPECT_TRUE(transitions);
  return transitions ? *transitions : std::vector<Transition>{};
}

bool Node::WaitForTransitions(std::size_t count) {
  return WaitUntil([&] { return Transitions().size() >= count; });
}

bool Node::WaitForField(FieldState state) {
  return WaitUntil([&] {
    auto reader = StoreReader::Open(options_.store);
    if (!reader) return false;  // not there yet
    const auto pods = reader->Pods({});
    return pods && pods->size() == 1 && pods->front().record.field == state;
  });
}

bool Node::WaitForStream(std::size_t before) {
  return WaitUntil([&] { return driver.counts().streams_opened > before; });
}

}  // namespace dra_health

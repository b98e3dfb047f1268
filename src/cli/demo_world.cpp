#include "cli/demo_world.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/clock.h"

namespace dra_health::demo {
namespace {

using Json = nlohmann::json;

constexpr const char* kNode = "demo-node";

// What happens, in seconds since the start. Leases are short so that expiry can be watched.
constexpr const char* kScenario = R"(
drivers:
  gpu.demo.example:
    heartbeat: 1s
    lease: 4s
    devices:
      demo-node/gpu-0: healthy
      demo-node/gpu-1: healthy
      demo-node/gpu-2: healthy
steps:
  - at: 4s
    report: {demo-node/gpu-1: {health: unhealthy, message: "Xid 79: fallen off the bus", lease: 4s}}
  - at: 8s
    report: {demo-node/gpu-1: {health: healthy, lease: 4s}}
  - at: 11s
    report: {demo-node/gpu-2: {health: unhealthy, message: "Xid 48: double bit ECC error", lease: 4s}}
  - {at: 16s, do: silence}
  - {at: 23s, do: resume}
)";

std::string MakePod(const std::string& name) {
  const Json container = {{"name", "main"},
                          {"image", "registry.example/train:1"},
                          {"resources", {{"claims", {{{"name", "gpu"}}}}}}};
  const Json status = {
      {"name", "main"},
      {"image", "registry.example/train:1"},
      {"imageID", "sha256:demo"},
      {"ready", true},
      {"restartCount", 0},
      {"state", {{"running", {{"startedAt", FormatTime(SystemClock().Now().wall)}}}}}};
  const Json pod = {{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata", {{"name", name}, {"namespace", "default"}}},
                    {"spec",
                     {{"nodeName", kNode},
                      {"resourceClaims", {{{"name", "gpu"}, {"resourceClaimName", name + "-gpu"}}}},
                      {"containers", {container}}}},
                    {"status",
                     {{"phase", "Running"},
                      {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
                      {"containerStatuses", {status}}}}};
  return pod.dump();
}

std::string MakeClaim(const std::string& name, const std::vector<std::string>& devices) {
  Json results = Json::array();
  for (const std::string& device : devices) {
    results.push_back(
        {{"request", "gpu"}, {"driver", kDriverName}, {"pool", kPool}, {"device", device}});
  }
  const Json claim = {{"apiVersion", "resource.k8s.io/v1"},
                      {"kind", "ResourceClaim"},
                      {"metadata", {{"name", name}, {"namespace", "default"}}},
                      {"status", {{"allocation", {{"devices", {{"results", results}}}}}}}};
  return claim.dump();
}

std::string Describe(const sim::Step& step) {
  if (const auto* report = std::get_if<sim::action::Report>(&step.action)) {
    const DeviceReport& device = report->devices.at(0);
    return "reports " + device.device + " " + std::string(ToString(device.health)) +
           (device.message.empty() ? "" : ": " + device.message);
  }
  return std::holds_alternative<sim::action::Silence>(step.action) ? "falls silent"
                                                                   : "speaks again";
}

AgentOptions Options(const std::filesystem::path& folder) {
  AgentOptions options;
  options.discovery.registration_dir = folder / "plugins_registry";
  options.api.kubeconfig = folder / "kubeconfig";
  options.api.node_name = kNode;
  options.store = folder / "health.db";
  return options;
}

}  // namespace

Result<std::unique_ptr<World>> World::Create(const std::filesystem::path& folder, Tell tell) {
  std::filesystem::create_directory(folder / "plugins_registry");
  std::filesystem::create_directory(folder / "plugins");
  auto scenario = sim::ParseScenario(kScenario, "the demo's scenario");
  if (!scenario) return tl::unexpected(scenario.error());
  return std::unique_ptr<World>(new World(folder, *std::move(scenario), std::move(tell)));
}

World::World(std::filesystem::path folder, sim::Scenario scenario, Tell tell)
    : folder_(std::move(folder)),
      player_(std::move(scenario), {folder_ / "plugins_registry", folder_ / "plugins",
                                    [tell = std::move(tell)](const sim::Step& step, const auto&) {
                                      tell(Describe(step));
                                    }}) {}

World::~World() {
  agent_.reset();
  player_.Stop();
  api_.Stop();
}

Result<void> World::Start() {
  api_.PutNode(kNode);
  api_.PutClaim(MakeClaim("train-gpu", {"gpu-0", "gpu-1"}));
  api_.PutClaim(MakeClaim("serve-gpu", {"gpu-2"}));
  api_.PutPod(MakePod("train"));
  api_.PutPod(MakePod("serve"));
  if (auto started = api_.Start(); !started) return started;
  if (auto written = api_.WriteKubeconfig(folder_ / "kubeconfig"); !written) return written;
  agent_ = std::make_unique<AgentThread>(Options(folder_));
  return player_.Start();
}

bool World::StopAgent() {
  agent_->Stop();
  return agent_->ended_well();
}

bool World::RestartAgent() {
  const bool ended_well = StopAgent();
  agent_ = std::make_unique<AgentThread>(Options(folder_));
  return ended_well;
}

}  // namespace dra_health::demo

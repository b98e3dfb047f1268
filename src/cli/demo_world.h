#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "agent/agent_thread.h"
#include "base/error.h"
#include "sim/api_server/api_server.h"
#include "sim/driver/player.h"

namespace dra_health::demo {

// A node of one process: an API server with two pods and their claims, a simulated driver with
// three devices, and the agent between them, all below one folder.
//
// Thread: one owner.
class World {
 public:
  // `tell` gets each step of the scenario as it happens, on another thread.
  using Tell = std::function<void(const std::string&)>;
  // Lives in `folder`, which is the caller's and empty.
  static Result<std::unique_ptr<World>> Create(const std::filesystem::path& folder, Tell tell);
  ~World();

  Result<void> Start();  // the agent, then the driver
  // Ends the agent in order, starts another on the same store. False: it did not end well.
  bool RestartAgent();
  bool StopAgent();

  sim::ApiServer& api() { return api_; }
  std::filesystem::path store() const { return folder_ / "health.db"; }

 private:
  World(std::filesystem::path folder, sim::Scenario scenario, Tell tell);

  std::filesystem::path folder_;
  sim::ApiServer api_;
  sim::Player player_;
  std::unique_ptr<AgentThread> agent_;
};

inline constexpr const char* kDriverName = "gpu.demo.example";
inline constexpr const char* kPool = "demo-node";

}  // namespace dra_health::demo

#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/agent_thread.h"
#include "agent/options.h"
#include "model/record.h"
#include "sim/api_server/api_server.h"
#include "sim/driver/driver.h"
#include "tests/support/temp_folder.h"

namespace dra_health {

using namespace std::chrono_literals;

// Generous: a slow machine is no failure.
inline constexpr std::chrono::milliseconds kPatience{20'000};

struct Shown {
  std::string health;  // of the device in the field; "" when it is not there
  std::string message;
  std::string condition;  // of the pod; "" when there is none

  bool operator==(const Shown&) const = default;
};

// A node with one driver and one API server, both simulated, in a temporary folder. The agent is
// started and stopped by the test.
class Node {
 private:
  const TempFolder folder_;  // first: the rest lives in it

 public:
  explicit Node(sim::ApiServerOptions api_options = {});
  ~Node();

  void AddPod(const std::string& name, const std::vector<std::string>& devices);
  AgentOptions& options() { return options_; }
  void StartAgent();
  bool StopAgent();  // whether it ended in order

  // How the pod says the device to be.
  static Shown Read(const std::string& pod_json, const std::string& device);
  // Waits until it says so.
  bool WaitUntilShown(const std::string& pod, const std::string& device, const std::string& health,
                      const std::string& condition);
  std::vector<Transition> Transitions();
  // Waits until the store has that many.
  bool WaitForTransitions(std::size_t count);
  // Waits until the store says so of the one pod there is.
  bool WaitForField(FieldState state);
  // Waits until the driver has a stream open that was opened after `before` others.
  bool WaitForStream(std::size_t before);

  sim::ApiServer api;
  sim::Driver driver;

 private:
  AgentOptions options_;
  std::unique_ptr<AgentThread> agent_;
};

DeviceReport Device(const std::string& name, Health health, const std::string& message = "",
                    std::chrono::seconds lease = 60s);

}  // namespace dra_health

#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/device.h"

namespace dra_health::sim {

// A scenario file says which drivers there are, how their devices are at the start, and what
// happens when:
//
//   drivers:
//     gpu.example.com:
//       heartbeat: 5s                  # send everything again this often; default: off
//       lease: 10s                     # of every device that sets none; default: none
//       services: [v1, v1alpha1]       # the health services offered, may be []; this is the
//       default devices:                       # POOL/DEVICE, cut at the last slash
//         pool-a/gpu-0: healthy        # healthy, unhealthy or unknown
//         pool-a/gpu-1: {health: unhealthy, message: fan stuck, lease: 1m}
//   steps:                             # carried out in the order of their times
//     - at: 2s                         # since the start
//       driver: gpu.example.com        # may be left out where there is only one
//       report:                        # one report with just these devices; new ones may appear
//         pool-a/gpu-0: {health: unhealthy, message: XID 79}
//     - {at: 5s, heartbeat: 1s}        # or off
//     - {at: 6s, do: silence}          # sends nothing, hangs on to its streams
//     - {at: 9s, do: resume}           # sends everything it knows
//     - {at: 10s, end: UNAVAILABLE}    # ends its streams with a gRPC status code
//     - {at: 12s, do: stop}            # ends and takes its sockets away
//     - {at: 13s, do: start}
//     - {at: 14s, do: kill}            # ends and leaves its sockets behind
//
// A step has one of `report`, `heartbeat`, `do` and `end`. Times are numbers with units, as in
// 500ms, 1.5s, 2m or 1m30s.

struct ScenarioDriver {
  std::string name;
  std::vector<std::string> services;
  std::optional<std::chrono::milliseconds> heartbeat;
  std::vector<DeviceReport> devices;
};

namespace action {
struct Report {
  std::vector<DeviceReport> devices;
};
struct Heartbeat {
  std::optional<std::chrono::milliseconds> interval;  // none: off
};
struct EndStreams {
  int grpc_code = 0;
};
struct Silence {};
struct Resume {};
struct Stop {};
struct Start {};
struct Kill {};
}  // namespace action

using Action = std::variant<action::Report, action::Heartbeat, action::EndStreams, action::Silence,
                            action::Resume, action::Stop, action::Start, action::Kill>;

struct Step {
  std::chrono::milliseconds at{0};
  std::string driver;
  Action action;
};

struct Scenario {
  std::vector<ScenarioDriver> drivers;
  std::vector<Step> steps;  // in the order of their times
};

// Errors (kItem) name the file, the line, and what is allowed there: "demo.yaml:12: ...".
Result<Scenario> ParseScenario(const std::string& text, const std::string& file_name);
Result<Scenario> LoadScenario(const std::filesystem::path& file);

}  // namespace dra_health::sim

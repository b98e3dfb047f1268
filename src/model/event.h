#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/claim.h"
#include "model/device.h"
#include "model/pod.h"
#include "model/record.h"

namespace dra_health {

// One registered endpoint of a driver. Ascends in the order of registration, so the larger is
// newer; after a start of the agent, in the order in which the sockets were made.
using PluginId = std::uint64_t;

namespace event {

// --- discovery ---

// A registration socket answered GetInfo with type DRAPlugin.
struct PluginRegistered {
  PluginId id = 0;
  std::string driver;
  std::string registration_socket;
  std::string endpoint;               // absolute path of the driver's socket
  std::vector<std::string> services;  // supported_versions as advertised
};

// Its registration socket is gone or was replaced by another.
struct PluginDeregistered {
  PluginId id = 0;
};

// The stream's RPC has started and the peer accepted it (initial metadata, or the first report).
struct StreamOpened {
  PluginId id = 0;
};

// One report. `dropped` counts devices without a name or beyond the limit on one report.
struct ReportReceived {
  PluginId id = 0;
  std::vector<DeviceReport> devices;
  std::size_t dropped = 0;
};

struct StreamEnded {
  PluginId id = 0;
  bool unimplemented = false;  // gRPC status UNIMPLEMENTED: final for this service
  std::string why;             // "UNAVAILABLE: ..." for logs and `cache drivers`
};

// The answer to ReadCdiIds: of all devices that the kubelet has prepared and that have one.
struct CdiIdsRead {
  Result<std::vector<CdiIdRecord>> ids;
};

// --- API server ---

// The complete list of this node's pods: what is not in it is gone.
struct PodsListed {
  std::vector<std::shared_ptr<const Pod>> pods;
};

struct PodChanged {
  std::shared_ptr<const Pod> pod;
};

struct PodDeleted {
  std::string uid;
};

// The connection to the API server was lost and is back: it may be another server with other gates.
struct ApiReconnected {};

struct ClaimRead {
  std::string namespace_name;
  std::string name;
  std::string pod_uid;                         // of the pod it was read for
  Result<std::shared_ptr<const Claim>> claim;  // kItem: there is none (404) or we may not (403)
};

// The answer to ReadPod. kItem: no such pod.
struct PodRead {
  std::string uid;  // of the pod that was asked for; the answer may be a namesake
  Result<std::shared_ptr<const Pod>> pod;
};

enum class PatchOutcome {
  kApplied,    // `answer` is the pod as the server has it now
  kGone,       // 404
  kStale,      // 409, or a `test` failed: read the pod again
  kInvalid,    // 422 with causes: `invalid` names what to leave out, empty when it cannot be told
  kDenied,     // an admission policy or webhook refused; `why` names it
  kForbidden,  // 403: a permission is missing; `why` names it
  kRetry,      // 401, 429, 5xx, cut connections, timeouts, nonsense for an answer
};

// Which entry the server refused (details.causes[].field), as positions in what was sent.
// entry is nullopt when only the container status is known.
struct InvalidEntry {
  StatusPath path;
  std::optional<std::size_t> entry;
  std::string why;
};

struct PatchDone {
  std::string uid;
  PatchOutcome outcome = PatchOutcome::kRetry;
  std::shared_ptr<const Pod> answer;
  std::vector<InvalidEntry> invalid;
  std::chrono::milliseconds retry_after{0};  // Retry-After, 0 when the server said nothing
  std::string why;
};

// --- the loop itself ---

// A deadline that the reconciler gave has come.
struct Tick {};

}  // namespace event

// Everything that can happen to the reconciler. Closed: a new kind of event is a compile error
// wherever it is not handled.
using Event =
    std::variant<event::PluginRegistered, event::PluginDeregistered, event::StreamOpened,
                 event::ReportReceived, event::StreamEnded, event::CdiIdsRead, event::PodsListed,
                 event::PodChanged, event::PodDeleted, event::ApiReconnected, event::ClaimRead,
                 event::PodRead, event::PatchDone, event::Tick>;

}  // namespace dra_health

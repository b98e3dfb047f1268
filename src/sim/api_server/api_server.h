#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "sim/api_server/fault.h"

namespace dra_health::sim {

struct ApiServerOptions {
  std::string address = "127.0.0.1";  // or "::1"
  std::uint16_t port = 0;             // 0: any free one, kept over Stop and Start
  bool tls = true;                    // certificates are made at Start, for 127.0.0.1 and ::1
  bool require_client_certificate = false;
  std::vector<std::string> tokens = {"sim-token"};  // empty: nobody is asked for one
  bool resource_health_status = true;          // the gate of the field: off drops it, answer 200
  bool resource_health_status_message = true;  // the gate of its messages
  bool guard = false;  // the admission policy that puts `claim:` entries back after a node's write
  std::chrono::milliseconds bookmark_interval{60'000};
};

// One request as it was answered.
struct LoggedRequest {
  BootTime at;
  std::string method;
  std::string verb;      // "get", "list", "watch", "patch"; other methods in lower case
  std::string resource;  // "pods", "pods/status", "nodes", "resourceclaims", or ""
  std::string path;      // with its query, as sent
  std::string content_type;
  std::string token;  // of the Authorization header
  std::string body;
  std::string connection;  // equal for requests on one connection
  int status = 0;          // 0: none was sent (kCut, kHang)
};

enum class KubeconfigForm { kFiles, kInline };

// A Kubernetes API server inside the process, for tests and the demo: pods, their status
// subresource, nodes and ResourceClaims, as far as the agent uses them, with the answers of a real
// 1.37 server, and every fault on demand.
//
// Thread: any, for every method, once the first Start has returned; none may be called from a
// predicate given to a Wait method.
// Ownership: objects, faults and the request log outlive Stop, so that Stop and Start are an API
// server that is absent for a while. Certificates lie in a temporary folder of its own, removed at
// the end. The HTTP library's thread pool is the process's: Start sets it to two threads if nobody
// did before.
class ApiServer {
 public:
  explicit ApiServer(ApiServerOptions options = {});
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Errors: kFatal with what could not be done (port taken, no certificate).
  Result<void> Start();
  // Cuts every connection; new ones are refused. Harmless when it does not run.
  void Stop();

  std::uint16_t port() const;             // 0 before the first Start
  std::string url() const;                // https://127.0.0.1:6443 or https://[::1]:6443
  std::filesystem::path ca_file() const;  // PEM; empty without TLS
  std::filesystem::path client_certificate_file() const;  // PEM, signed by the same CA
  std::filesystem::path client_key_file() const;
  // Errors: kFatal, the file could not be written.
  Result<void> WriteKubeconfig(const std::filesystem::path& path,
                               KubeconfigForm form = KubeconfigForm::kFiles) const;
  // token, ca.crt and namespace laid out as a kubelet does it: symlinks through ..data, which a
  // second call swaps.
  Result<void> WriteServiceAccount(const std::filesystem::path& folder) const;

  // Changeable at run time. The first token is the one written into credentials.
  void SetTokens(std::vector<std::string> tokens);
  void SetResourceHealthStatus(bool on);
  void SetResourceHealthStatusMessage(bool on);
  void SetGuard(bool on);

  // Objects are JSON texts. Put creates or replaces; it gives a resource version always, a UID and
  // a creation time where absent (a replaced object keeps its own unless the text has another).
  // Nothing is validated. REQUIRES: valid JSON with metadata.name; metadata.namespace is "default"
  // where absent.
  void PutNode(const std::string& name);
  void PutPod(const std::string& json);
  void PutClaim(const std::string& json);
  bool DeletePod(const std::string& namespace_name, const std::string& name);
  bool DeleteClaim(const std::string& namespace_name, const std::string& name);
  std::string GetPod(const std::string& namespace_name, const std::string& name) const;  // "": none
  std::int64_t resource_version() const;
  // Forgets history: watches from an older resource version get 410.
  void Compact();

  // The simulated kubelet writes as a node: the guard, if on, answers it.
  // Removes our `claim:` entries, as a kubelet with its gate off does at its next tick.
  bool RevertField(const std::string& namespace_name, const std::string& name);
  // Replaces one container status's list, as a kubelet with its gate on does.
  bool OverwriteField(const std::string& namespace_name, const std::string& name,
                      const std::string& container, const std::string& list_json);
  // The containers end with `exit_code`: the phase is Failed or Succeeded and the kubelet's own
  // status, which lacks the field, replaces the old.
  bool EndPod(const std::string& namespace_name, const std::string& name, int exit_code);

  // The first fault that matches a request is applied to it.
  void AddFault(Fault fault);
  void ClearFaults();
  // Breaks the watches that are open now (kCut and the kWatch kinds). Returns how many.
  std::size_t BreakWatches(FaultKind kind);
  // Resets every connection; the server stays.
  void CutConnections();
  // Sends a bookmark on every watch that allows it, now.
  void SendBookmarks();
  std::size_t open_watches() const;

  std::vector<LoggedRequest> Requests() const;
  std::size_t Count(const std::string& verb, const std::string& resource = "") const;
  void ClearRequests();

  // Wait for a condition that is checked at each change; false when `timeout` passed first.
  bool WaitForRequests(const std::function<bool(const std::vector<LoggedRequest>&)>& predicate,
                       std::chrono::milliseconds timeout) const;
  bool WaitForCount(const std::string& verb, const std::string& resource, std::size_t at_least,
                    std::chrono::milliseconds timeout) const;
  // The predicate gets the pod's JSON text, "" while there is none.
  bool WaitForPod(const std::string& namespace_name, const std::string& name,
                  const std::function<bool(const std::string&)>& predicate,
                  std::chrono::milliseconds timeout) const;
  bool WaitForWatches(std::size_t exactly, std::chrono::milliseconds timeout) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dra_health::sim

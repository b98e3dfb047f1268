#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "model/event_queue.h"
#include "model/publication.h"

namespace dra_health {

struct ApiOptions {
  std::filesystem::path kubeconfig;  // empty: in-cluster credentials
  std::string node_name;
  std::size_t workers = 4;  // connections for GET and PATCH; the watch has its own
  std::chrono::milliseconds timeout{10'000};  // total, for one GET or PATCH
  // How long a stop waits for what is under way: the store is to know whether the last patch did
  // what it should.
  std::chrono::milliseconds last_answers{1'000};
};

// The agent's side of the API server: one pod watch for this node, claims and pods by name,
// patches.
//
// Every answer arrives on the queue as an event. The watch starts with a LIST (resourceVersion=0),
// goes on with bookmarks, reconnects with jitter and pushes PodsListed whenever it had to list
// again. ApiReconnected is pushed when an outage (not a watch that the server closed in peace) is
// over.
//
// Thread: main, for every method. Blocking calls live on the client's own worker threads.
class ApiClient {
 public:
  virtual ~ApiClient() = default;

  // Reads the credentials. Errors: kFatal, with what is wrong in which file.
  static Result<std::unique_ptr<ApiClient>> Create(ApiOptions options, EventQueue& queue);

  // Checks that the node exists and starts the watch; retries by itself until stopped. A node name
  // that the API server does not know is said in the log, again only when the answer changes.
  virtual void Start() = 0;

  // The pod watch is open, or between two: the server ends one every few minutes.
  virtual bool watching() const = 0;

  virtual void ReadClaim(std::string namespace_name, std::string name, std::string pod_uid) = 0;
  virtual void ReadPod(std::string namespace_name, std::string name, std::string uid) = 0;
  virtual void Patch(PodPatch patch) = 0;

  // Begins no more, gives what is under way its time, cancels the rest and joins the threads.
  virtual void Stop() = 0;
};

}  // namespace dra_health

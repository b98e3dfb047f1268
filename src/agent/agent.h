#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/options.h"
#include "base/clock.h"
#include "base/error.h"
#include "cache/store_keeper.h"
#include "discovery/discovery.h"
#include "model/event_queue.h"
#include "observe/observer.h"
#include "patcher/api_client.h"
#include "reconciler/reconciler.h"

namespace dra_health {

// The agent: one loop that owns all state. Adapters push events on a queue; the reconciler says
// what they lead to; the loop commits what must be durable and then carries out the rest.
//
// Thread: the one that calls Run, which must be the one that called Create.
// Ownership: everything; nothing is global. Several agents can live in one process, one after
// another.
class Agent {
 public:
  // Reads the credentials, listens for who wants to look, and opens the store; touches neither
  // drivers nor the API server.
  // Errors: kFatal, see StoreKeeper::Start (kItem: the credentials, the address to listen on or its
  // certificate are at fault).
  static Result<std::unique_ptr<Agent>> Create(const AgentOptions& options);

  // Works until `stop_fd` is readable, then stops: no new streams or patches, every stream
  // cancelled and waited for, the workers joined, the store closed. False when something did not
  // end in time.
  bool Run(int stop_fd);

 private:
  explicit Agent(const AgentOptions& options);

  void Turn();  // all that is on the queue, in one commit
  // Runs the tasks that are on the queue and gives its events to `take`, in their order.
  void TakeQueue(const std::function<void(const Event&)>& take);
  void Take(const Event& event, Effects& all);  // one event through the reconciler
  void Commit(Effects effects);
  void CarryOut(Effect& effect);
  void PrintPatch(const PodPatch& patch);
  void Store(const std::vector<StoreWrite>& writes);
  Observation Look();
  bool Stop();

  SystemClock clock_;
  EventQueue queue_;
  AgentOptions options_;
  StoreKeeper keeper_;
  Reconciler reconciler_;
  std::unique_ptr<Discovery> discovery_;
  std::unique_ptr<ApiClient> api_;
  std::unique_ptr<Observer> observer_;
  StoredState stored_;
  BootTime next_tidy_;
};

}  // namespace dra_health

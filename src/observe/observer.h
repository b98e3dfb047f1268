#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "model/event_queue.h"
#include "observe/listener.h"
#include "observe/metrics.h"
#include "observe/observation.h"
#include "observe/options.h"

namespace dra_health {

// Lets others look at the agent: /metrics, /healthz and /readyz.
//
// The loop owns the state, so /metrics and /readyz ask it to look, once for all who wait, and the
// listener's threads only write down what it saw. /healthz never waits for the loop; the others do
// not when it is late: they tell what was seen last.
//
// Thread: main, for every method. Ownership: the listener; `clock` and `queue` must outlive it.
// Failure: see Create; a port that is taken later on is only a matter of the log.
class Observer {
 public:
  using Look = std::function<Observation()>;  // called on main

  // Errors: kItem: a certificate cannot be used, or the address cannot be had and is required.
  static Result<std::unique_ptr<Observer>> Create(ObserveOptions options, const Clock& clock,
                                                  EventQueue& queue, Look look, OpenListener open);
  ~Observer();

  Metrics& metrics();

  // The loop has turned. Also tries again to listen where that failed.
  void Turned();

  // Whoever still waits is told so. Nothing is served any more.
  void Stop();

 private:
  static constexpr std::chrono::seconds kRetryInterval{30};
  struct Shared;

  Observer(ObserveOptions options, const Clock& clock, OpenListener open,
           std::shared_ptr<Shared> shared);
  Result<void> Listen();

  const ObserveOptions options_;
  const Clock& clock_;
  const OpenListener open_;
  const std::shared_ptr<Shared> shared_;  // with requests and tasks that may outlive this
  std::shared_ptr<TlsFiles> tls_;
  std::unique_ptr<Listener> listener_;
  BootTime retry_at_ = BootTime::max();
};

}  // namespace dra_health

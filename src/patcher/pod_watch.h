#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/clock.h"
#include "model/event_queue.h"
#include "patcher/api_session.h"
#include "patcher/pod_stream.h"
#include "patcher/reason_log.h"
#include "patcher/stop_signal.h"

namespace dra_health {

// What the watch waits for and how long. Tests shorten it.
struct WatchTimes {
  // How long one watch lasts, at random in between, so that a fleet does not reconnect in step.
  std::chrono::seconds shortest{300};
  std::chrono::seconds longest{600};
  // The server ends the watch at its time; one that has not by then is half open.
  std::chrono::milliseconds grace{30'000};
  // A server sends a bookmark about once a minute. Three missing ones: the connection is dead, and
  // to open another costs one request.
  std::chrono::milliseconds quiet{200'000};
  // A watch that ends sooner was no success: something closes connections at once.
  std::chrono::milliseconds brief{1'000};
  BackoffLimits backoff{std::chrono::milliseconds{1'000}, std::chrono::milliseconds{15'000}};
  std::chrono::milliseconds open{30'000};     // from the request to the headers of a watch
  std::chrono::milliseconds request{10'000};  // GET of the node, LIST
};

// Follows the pods of one node: LIST once, then one watch after the other, each from where the last
// one ended. Lists again only when the server has forgotten that place.
//
// Thread: Run on one of its own; watching from any. Pushes PodsListed, PodChanged, PodDeleted
// and ApiReconnected. Failure: never gives up before `stop`; waits longer and longer.
class PodWatch {
 public:
  PodWatch(std::string node, std::string server, ApiSession& session, const Clock& clock,
           EventQueue& queue, StopSignal& stop, WatchTimes times);

  void Run();

  bool watching() const { return watching_; }

 private:
  // What to do after one request.
  enum class Next { kAtOnce, kAfterBackoff };

  void CheckNode();
  Next List();
  Next Watch();
  bool OnLine(std::string_view line);
  Next AfterWatch(const HttpAnswer& answer);
  Next AfterBadStream(const std::string& why);
  Next Expired();
  Next Refused(const std::string& what, const HttpAnswer& answer);
  void Answering();
  void Working();
  std::string Tried(const std::string& what) const;

  const std::string node_;
  const std::string server_;
  ApiSession& session_;
  const Clock& clock_;
  EventQueue& queue_;
  StopSignal& stop_;
  const WatchTimes times_;

  std::atomic<bool> watching_ = false;
  std::minstd_rand random_{std::random_device{}()};
  Backoff backoff_;
  std::chrono::milliseconds retry_after_{0};
  std::string resource_version_;  // empty: list first
  bool node_settled_ = false;     // the node is known, or we may not ask
  bool was_connected_ = false;
  bool outage_ = false;       // was connected, is not, and ApiReconnected is due
  bool watch_worked_ = true;  // since the last relist: a 410 straight after a list waits
  std::uint64_t bad_streams_ = 0;

  // Of the watch under way.
  bool opened_ = false;
  bool lasted_ = false;  // not brief
  bool got_event_ = false;
  std::string bad_stream_;  // why what the server sends cannot be followed
  bool error_event_ = false;
  bool expired_ = false;

  ReasonLog node_log_;
  ReasonLog log_;
};

}  // namespace dra_health

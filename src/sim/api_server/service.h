#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "sim/api_server/api_core.h"
#include "sim/api_server/api_server.h"
#include "sim/api_server/certificates.h"
#include "sim/api_server/http_front.h"
#include "sim/api_server/open_streams.h"
#include "sim/api_server/relay.h"
#include "sim/api_server/request_log.h"

namespace dra_health::sim {

// The core behind one lock and a socket: what ApiServer's methods stand on.
//
// Thread: any. Requests come in on the HTTP library's pool, closed connections from the relay's
// thread, deadlines from the ticker. All of them take `mutex_` first; the relay's lock and the
// library's come after it, and nothing that joins a thread is done under it.
class Service {
 public:
  // What the lock protects. `streams` sees every change of the core before the lock is released.
  struct State {
    explicit State(const Clock& clock, std::chrono::milliseconds bookmark_interval)
        : core(clock), streams(bookmark_interval) {}
    ApiCore core;
    OpenStreams streams;
    RequestLog log;
  };

  explicit Service(ApiServerOptions options);
  ~Service();

  Result<void> Start(const std::optional<Certificates>& tls);
  void Stop();
  std::uint16_t port() const;
  void CutConnections();
  std::size_t CutWatches();  // how many

  // Does something to the state and lets watches and waiters know.
  template <typename Action>
  auto Change(Action action) {
    const std::lock_guard lock(mutex_);
    struct AfterChange {
      Service& service;
      ~AfterChange() { service.Notify(); }
    } const after{*this};
    return action(state_);
  }

  template <typename Look>
  auto Read(Look look) const {
    const std::lock_guard lock(mutex_);
    return look(state_);
  }

  bool Wait(std::chrono::milliseconds timeout,
            const std::function<bool(const State&)>& condition) const;

 private:
  FrontReply Answer(const ApiRequest& request, const std::string& connection);
  FrontReply Deliver(ApiResponse response, const std::string& connection);
  void Log(const ApiRequest& request, const std::string& connection, int status);
  void Notify();
  void OnClosed(const std::string& connection);
  void RunTicker();

  const ApiServerOptions options_;
  const SystemClock clock_;

  std::mutex lifecycle_;              // held by Start and Stop; protects the two below
  std::unique_ptr<HttpFront> front_;  // while it runs
  std::thread ticker_;

  mutable std::mutex mutex_;  // protects what follows
  mutable std::condition_variable changed_;
  State state_;
  std::uint16_t port_ = 0;
  bool stopping_ = true;
  std::unique_ptr<Relay> relay_;  // while it runs
};

}  // namespace dra_health::sim

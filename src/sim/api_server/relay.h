#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"

namespace dra_health::sim {

// Carries bytes between clients and the HTTP listener behind it, TLS or not.
//
// It does what cpprestsdk's listener cannot: listen on an IPv6 address and on any free port, refuse
// connections while the listener lives, reset a connection without an answer, notice at once that
// a client went away. The listener tells a handler its peer's address but not the port; so each
// connection reaches it from a loopback address of its own, which is the connection's name.
//
// Thread: any, for Cut and CutAll. A thread of its own does the rest and calls `on_closed`, which
// may call back, without any lock held. The destructor resets every connection and joins.
class Relay {
 public:
  using ClosedCallback = std::function<void(const std::string& connection)>;

  static Result<std::unique_ptr<Relay>> Open(const std::string& address, std::uint16_t port,
                                             std::uint16_t backend_port, ClosedCallback on_closed);
  ~Relay();

  std::uint16_t port() const { return port_; }
  // No byte passes on the connection after this returns; its client sees a reset.
  void Cut(const std::string& connection);
  void CutAll();

 private:
  struct Connection;

  Relay(UniqueFd listener, std::uint16_t port, std::uint16_t backend_port, UniqueFd wake,
        ClosedCallback on_closed);
  void Run();
  void Accept();
  // Moves what can be moved; false when the connection is over.
  bool Serve(Connection& connection, short client_events, short backend_events);
  void Wake();

  const UniqueFd listener_;
  const std::uint16_t port_;
  const std::uint16_t backend_port_;
  const UniqueFd wake_;
  const ClosedCallback on_closed_;

  // The relay's thread only.
  std::vector<std::unique_ptr<Connection>> connections_;
  std::uint32_t accepted_ = 0;

  std::mutex mutex_;  // protects what follows, and is held while bytes are passed on
  std::set<std::string> cut_;
  bool cut_all_ = false;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace dra_health::sim

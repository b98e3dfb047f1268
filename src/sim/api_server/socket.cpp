#include "sim/api_server/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace dra_health::sim {

namespace {

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address MakeAddress(const std::string& text, std::uint16_t port) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof *v4;
  } else if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof *v6;
  }
  return address;
}

tl::unexpected<Error> SystemFailure(const std::string& what) {
  return Fail(ErrorKind::kFatal, what + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<UniqueFd> ListenTcp(const std::string& address, std::uint16_t port) {
  const std::string what = "cannot listen on " + address + " port " + std::to_string(port);
  Address local = MakeAddress(address, port);
  if (local.size == 0) return Fail(ErrorKind::kFatal, what + ": not an IP address");
  UniqueFd socket(::socket(local.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return SystemFailure(what);
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), local.get(), local.size) != 0) return SystemFailure(what);
  if (::listen(socket.get(), SOMAXCONN) != 0) return SystemFailure(what);
  return socket;
}

Result<std::uint16_t> LocalPort(const UniqueFd& socket) {
  Address local;
  local.size = sizeof local.storage;
  if (::getsockname(socket.get(), local.get(), &local.size) != 0) {
    return SystemFailure("cannot read a socket's port");
  }
  // The port lies at the same place in both families.
  return ntohs(reinterpret_cast<sockaddr_in*>(&local.storage)->sin_port);
}

UniqueFd ConnectLoopback(const std::string& source, std::uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Address from = MakeAddress(source, 0);
  Address to = MakeAddress("127.0.0.1", port);
  if (!socket || ::bind(socket.get(), from.get(), from.size) != 0 ||
      ::connect(socket.get(), to.get(), to.size) != 0) {
    return UniqueFd();
  }
  return socket;
}

Result<std::uint16_t> FreeLoopbackPort() {
  return ListenTcp("127.0.0.1", 0).and_then([](const UniqueFd& socket) {
    return LocalPort(socket);
  });
}

void SetNoDelay(const UniqueFd& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void ResetOnClose(const UniqueFd& socket) {
  const linger reset = {1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

}  // namespace dra_health::sim

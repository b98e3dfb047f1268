#include "sim/api_server/relay.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "sim/api_server/socket.h"

namespace dra_health::sim {

namespace {

constexpr std::size_t kMostBuffered = 256U << 10;

// One direction of a connection: what was read and not yet written.
struct Pipe {
  std::string buffer;
  bool source_ended = false;

  // False on a broken source; the end of the source only sets the flag.
  bool Fill(const UniqueFd& source) {
    std::array<char, (16U << 10)> chunk;
    const ssize_t got = ::recv(source.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) source_ended = true;
    buffer.append(chunk.data(), static_cast<std::size_t>(got));
    return true;
  }

  bool Drain(const UniqueFd& target) {
    if (buffer.empty()) return true;
    const ssize_t put =
        ::send(target.get(), buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    buffer.erase(0, static_cast<std::size_t>(put));
    return true;
  }
};

pollfd Polled(const UniqueFd& socket, const Pipe& incoming, const Pipe& outgoing) {
  const bool reads = !incoming.source_ended && incoming.buffer.size() < kMostBuffered;
  const int events = (reads ? POLLIN : 0) | (outgoing.buffer.empty() ? 0 : POLLOUT);
  // A socket that is waited for in no way would still report its hang-up, again and again.
  return {events == 0 ? -1 : socket.get(), static_cast<short>(events), 0};
}

std::string LoopbackName(std::uint32_t number) {
  return "127." + std::to_string(1 + (number >> 16) % 250) + "." +
         std::to_string((number >> 8) & 0xff) + "." + std::to_string(number & 0xff);
}

}  // namespace

struct Relay::Connection {
  std::string name;
  UniqueFd client;
  UniqueFd backend;
  Pipe up;    // client to listener
  Pipe down;  // listener to client
};

Result<std::unique_ptr<Relay>> Relay::Open(const std::string& address, std::uint16_t port,
                                           std::uint16_t backend_port, ClosedCallback on_closed) {
  auto listener = ListenTcp(address, port);
  if (!listener) return tl::unexpected(listener.error());
  const auto bound = LocalPort(*listener);
  if (!bound) return tl::unexpected(bound.error());
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return Fail(ErrorKind::kFatal, "cannot make an eventfd for the API server's relay");
  return std::unique_ptr<Relay>(
      new Relay(std::move(*listener), *bound, backend_port, std::move(wake), std::move(on_closed)));
}

Relay::Relay(UniqueFd listener, std::uint16_t port, std::uint16_t backend_port, UniqueFd wake,
             ClosedCallback on_closed)
    : listener_(std::move(listener)),
      port_(port),
      backend_port_(backend_port),
      wake_(std::move(wake)),
      on_closed_(std::move(on_closed)),
      thread_([this] { Run(); }) {}

Relay::~Relay() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
}

void Relay::Cut(const std::string& connection) {
  {
    const std::lock_guard lock(mutex_);
    cut_.insert(connection);
  }
  Wake();
}

void Relay::CutAll() {
  {
    const std::lock_guard lock(mutex_);
    cut_all_ = true;
  }
  Wake();
}

void Relay::Wake() { ::eventfd_write(wake_.get(), 1); }

void Relay::Run() {
  for (;;) {
    std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const auto& connection : connections_) {
      polled.push_back(Polled(connection->client, connection->up, connection->down));
      polled.push_back(Polled(connection->backend, connection->down, connection->up));
    }
    ::poll(polled.data(), polled.size(), -1);
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);

    std::vector<std::string> closed;
    {
      const std::lock_guard lock(mutex_);
      std::size_t at = 2;
      std::erase_if(connections_, [&](const std::unique_ptr<Connection>& connection) {
        const bool cut = stopping_ || cut_all_ || cut_.erase(connection->name) > 0;
        if (cut) ResetOnClose(connection->client);
        const short client_events = polled[at++].revents;
        const short backend_events = polled[at++].revents;
        const bool over = cut || !Serve(*connection, client_events, backend_events);
        if (over) closed.push_back(connection->name);
        return over;
      });
      cut_all_ = false;
      if (stopping_) return;
    }
    for (const std::string& name : closed) on_closed_(name);
    if (polled[1].revents != 0) Accept();
  }
}

void Relay::Accept() {
  UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!client) return;
  auto connection = std::make_unique<Connection>();
  connection->name = LoopbackName(accepted_++);
  connection->client = std::move(client);
  connection->backend = ConnectLoopback(connection->name, backend_port_);
  if (!connection->backend) return;
  SetNoDelay(connection->client);
  SetNoDelay(connection->backend);
  connections_.push_back(std::move(connection));
}

bool Relay::Serve(Connection& connection, short client_events, short backend_events) {
  if (client_events != 0 && !connection.up.source_ended && !connection.up.Fill(connection.client)) {
    return false;
  }
  if (backend_events != 0 && !connection.down.source_ended &&
      !connection.down.Fill(connection.backend)) {
    return false;
  }
  if (!connection.up.Drain(connection.backend) || !connection.down.Drain(connection.client)) {
    return false;
  }
  // HTTP clients do not half-close: a client that ends has gone. What the listener said last is
  // still delivered.
  return !connection.up.source_ended &&
         !(connection.down.source_ended && connection.down.buffer.empty());
}

}  // namespace dra_health::sim

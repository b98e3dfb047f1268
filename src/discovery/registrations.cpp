#include "discovery/registrations.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "base/text.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;

// inotify reports a socket at bind(2), before listen(2): the first attempt may well be refused, and
// the second should come soon. The most is what a process that hangs may cost after it comes back;
// one that starts again makes a new socket, which is asked at once.
constexpr BackoffLimits kAskAgain{.first = milliseconds{100}, .most = milliseconds{5'000}};
// By then it has had some seconds to start listening.
constexpr int kAttemptsUntilTold = 7;

// A permission is granted by a person; nothing is gained by asking often.
constexpr std::chrono::seconds kAskAgainWhenDenied{60};

constexpr std::string_view kDraType = "DRAPlugin";
// Drivers advertise a handful; more are noise.
constexpr std::size_t kMaxServices = 64;

// An endpoint is shown, stored and logged: one that cannot be printed is not worth carrying.
bool IsUsablePath(const std::string& path) {
  return path.starts_with('/') && Printable(path) == path;
}

std::vector<std::string> Services(const PluginInfo& info) {
  std::vector<std::string> services;
  for (const std::string& service : info.services) {
    if (services.size() == kMaxServices) break;
    services.push_back(Printable(service));
  }
  return services;
}

}  // namespace

void Registrations::Found(const FoundSocket& socket, BootTime now) {
  sockets_.emplace(socket.id,
                   Socket{.path = socket.path, .due = now, .backoff = Backoff(kAskAgain)});
}

void Registrations::Gone(PluginId id) {
  const auto socket = sockets_.extract(id);
  if (!socket || socket.mapped().state != State::kRegistered) return;
  queue_.Push(event::PluginDeregistered{.id = id});
}

std::vector<FoundSocket> Registrations::TakeDue(BootTime now) {
  std::vector<FoundSocket> due;
  for (auto& [id, socket] : sockets_) {
    if (socket.state != State::kWaiting || socket.due > now) continue;
    socket.state = State::kAsked;
    due.push_back({.id = id, .path = socket.path});
  }
  return due;
}

void Registrations::Answered(PluginId id, const Result<PluginInfo>& answer, BootTime now) {
  const auto found = sockets_.find(id);
  if (found == sockets_.end()) return;
  Socket& socket = found->second;
  if (answer) {
    socket.state = Judge(id, socket, *answer);
  } else if (answer.error().kind == ErrorKind::kRetry) {
    Retry(socket, answer.error().message, now);
  } else {
    socket.state = State::kLeftAlone;
    spdlog::info("{} is no plugin's registration socket: {}", Printable(socket.path.native()),
                 answer.error().message);
  }
}

void Registrations::Retry(Socket& socket, const std::string& why, BootTime now) {
  socket.state = State::kWaiting;
  if (why.find("Permission denied") != std::string::npos) {
    socket.due = now + kAskAgainWhenDenied;
    if (std::exchange(socket.told_denied, true)) return;
    spdlog::error(
        "cannot ask {} what it is, asking again every {} s; sockets of drivers belong to uid 0, "
        "and "
        "SELinux may forbid what the owner may do: {}",
        Printable(socket.path.native()), kAskAgainWhenDenied.count(), why);
    return;
  }
  socket.due = now + socket.backoff.Next();
  if (socket.backoff.attempts() != kAttemptsUntilTold) return;
  spdlog::info("{} does not answer GetInfo, asking on every {} s: {}",
               Printable(socket.path.native()), kAskAgain.most.count() / 1000, why);
}

Registrations::State Registrations::Judge(PluginId id, const Socket& socket,
                                          const PluginInfo& info) {
  const std::string path = Printable(socket.path.native());
  if (info.type != kDraType) {
    spdlog::debug("{} is a {}, left alone", path, Printable(info.type));
    return State::kLeftAlone;
  }
  const std::string driver = Printable(info.name);
  const std::string endpoint = info.endpoint.empty() ? socket.path.native() : info.endpoint;
  if (driver.empty() || !IsUsablePath(endpoint)) {
    spdlog::warn(
        "{} left alone: it is a DRA driver named '{}' with the endpoint '{}', but a name "
        "and a printable absolute path are needed",
        path, driver, Printable(endpoint));
    return State::kLeftAlone;
  }
  queue_.Push(event::PluginRegistered{.id = id,
                                      .driver = driver,
                                      .registration_socket = path,
                                      .endpoint = endpoint,
                                      .services = Services(info)});
  return State::kRegistered;
}

BootTime Registrations::NextDeadline() const {
  BootTime next = BootTime::max();
  for (const auto& [id, socket] : sockets_) {
    if (socket.state == State::kWaiting) next = std::min(next, socket.due);
  }
  return next;
}

}  // namespace dra_health

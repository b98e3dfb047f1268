#include "sim/api_server/service.h"

#include <utility>

#include "sim/api_server/socket.h"

namespace dra_health::sim {

namespace {

// A free port can be taken by somebody else before the listener gets it.
constexpr int kPortAttempts = 20;

}  // namespace

Service::Service(ApiServerOptions options)
    : options_(std::move(options)),
      state_(clock_, options_.bookmark_interval),
      port_(options_.port) {
  state_.core.SetTokens(options_.tokens);
  state_.core.rules() = {options_.resource_health_status, options_.resource_health_status_message,
                         options_.guard};
}

Service::~Service() { Stop(); }

Result<void> Service::Start(const std::optional<Certificates>& tls) {
  const std::lock_guard lifecycle(lifecycle_);
  if (front_) return {};
  FrontOptions front_options;
  front_options.tls = tls;
  front_options.require_client_certificate = options_.require_client_certificate;
  Result<std::unique_ptr<HttpFront>> front = Fail(ErrorKind::kRetry, "not tried");
  for (int attempt = 0; attempt < kPortAttempts && !front; ++attempt) {
    const auto backend = FreeLoopbackPort();
    if (!backend) return tl::unexpected(backend.error());
    front_options.port = *backend;
    front = HttpFront::Open(front_options,
                            [this](const ApiRequest& request, const std::string& connection) {
                              return Answer(request, connection);
                            });
  }
  if (!front) return Fail(ErrorKind::kFatal, front.error().message);
  // Under the lock from before the first connection, so that no request meets a server half up.
  const std::lock_guard lock(mutex_);
  auto relay = Relay::Open(options_.address, port_, front_options.port,
                           [this](const std::string& connection) { OnClosed(connection); });
  if (!relay) return tl::unexpected(relay.error());
  front_ = std::move(*front);
  relay_ = std::move(*relay);
  port_ = relay_->port();
  stopping_ = false;
  ticker_ = std::thread([this] { RunTicker(); });
  return {};
}

// The relay goes first, so that clients see their connections break and not watches closed in
// peace.
void Service::Stop() {
  const std::lock_guard lifecycle(lifecycle_);
  std::unique_ptr<Relay> relay;
  {
    const std::lock_guard lock(mutex_);
    relay = std::move(relay_);
    stopping_ = true;
    changed_.notify_all();
  }
  relay.reset();
  if (ticker_.joinable()) ticker_.join();
  Change([](State& state) { state.streams.CloseAll(); });
  front_.reset();
}

std::uint16_t Service::port() const {
  return Read([this](const State&) { return port_; });
}

void Service::CutConnections() {
  Change([this](State&) {
    if (relay_) relay_->CutAll();
  });
}

std::size_t Service::CutWatches() {
  return Change([this](State& state) {
    const auto connections = state.streams.WatchConnections();
    for (const std::string& connection : connections) {
      if (relay_) relay_->Cut(connection);
    }
    return connections.size();
  });
}

bool Service::Wait(std::chrono::milliseconds timeout,
                   const std::function<bool(const State&)>& condition) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return condition(state_); });
}

FrontReply Service::Answer(const ApiRequest& request, const std::string& connection) {
  const std::lock_guard lock(mutex_);
  FrontReply reply;
  if (stopping_) {
    reply.status = 503;
    return reply;
  }
  ApiResponse response = state_.core.Handle(request);
  const bool sent = response.delivery != Delivery::kCut && response.delivery != Delivery::kHang;
  Log(request, connection, sent ? response.status : 0);
  reply = Deliver(std::move(response), connection);
  Notify();
  return reply;
}

FrontReply Service::Deliver(ApiResponse response, const std::string& connection) {
  FrontReply reply;
  reply.status = response.status;
  reply.content_type = response.content_type;
  reply.retry_after = response.retry_after;
  const BootTime now = clock_.Now().boot;
  switch (response.delivery) {
    case Delivery::kWhole:
      break;
    case Delivery::kCut:
      if (relay_) relay_->Cut(connection);
      return reply;
    case Delivery::kHang:
      reply.hang = true;
      return reply;
    case Delivery::kDrip:
      reply.stream = state_.streams.AddDrip(response.body, response.interval, connection, now);
      return reply;
    case Delivery::kTruncate:
      reply.promised = response.body.size();
      reply.body = response.body.substr(0, response.body.size() / 2);
      return reply;
  }
  if (response.watch) {
    reply.stream = state_.streams.AddWatch(std::move(response.watch), connection, now);
  } else {
    reply.body = std::move(response.body);
  }
  return reply;
}

void Service::Log(const ApiRequest& request, const std::string& connection, int status) {
  const Route route = ParseRoute(request.method, request.path, request.query);
  LoggedRequest logged;
  logged.at = clock_.Now().boot;
  logged.method = request.method;
  logged.verb = route.verb;
  logged.resource = route.resource;
  logged.path = request.target;
  logged.content_type = request.content_type;
  logged.token = request.token.value_or("");
  logged.body = request.body;
  logged.connection = connection;
  logged.status = status;
  state_.log.Add(std::move(logged));
}

void Service::Notify() {
  state_.streams.Pump(state_.core.store());
  changed_.notify_all();
}

void Service::OnClosed(const std::string& connection) {
  Change([&](State& state) { state.streams.Forget(connection); });
}

void Service::RunTicker() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto next = state_.streams.NextDeadline();
    const BootTime now = clock_.Now().boot;
    if (!next) {
      changed_.wait(lock);
    } else if (now < *next) {
      changed_.wait_for(lock, *next - now);
    } else {
      state_.streams.Tick(state_.core.store(), now);
      changed_.notify_all();
    }
  }
}

}  // namespace dra_health::sim

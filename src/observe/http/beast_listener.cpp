#include "observe/http/beast_listener.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include <spdlog/spdlog.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

namespace dra_health {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::seconds;

// Scrapers and probes are few; whoever comes beyond is closed at once.
constexpr std::size_t kMostConnections = 64;
constexpr std::uint32_t kMostHeaderBytes = 16 << 10;
// A connection that is quiet for longer is closed; Prometheus scrapes every 15 to 60 s.
constexpr seconds kIdle{90};
constexpr seconds kHandshake{10};
constexpr seconds kWrite{30};
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{200};

// What connections share. Lives as long as the listener or an answer that is on its way.
struct Core {
  std::size_t connections = 0;  // on the listener's thread
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer pause{io};
  Listener::Handler handler;
  std::shared_ptr<TlsFiles> tls;
  std::map<const void*, std::shared_ptr<void>> waiting;  // connections, for an answer
};

// One connection: its requests one after the other. On the listener's thread alone.
template <typename Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(const std::shared_ptr<Core>& core, tcp::socket socket)
    requires std::is_same_v<Stream, beast::tcp_stream>
      : weak_core_(core), core_(*core), stream_(std::move(socket)) {
    ++core_.connections;
  }
  Connection(const std::shared_ptr<Core>& core, tcp::socket socket, std::shared_ptr<TlsServer> tls)
    requires(!std::is_same_v<Stream, beast::tcp_stream>)
      : weak_core_(core), core_(*core), tls_(std::move(tls)), stream_(std::move(socket), *tls_) {
    ++core_.connections;
  }
  ~Connection() { --core_.connections; }

  void Start() {
    if constexpr (std::is_same_v<Stream, beast::tcp_stream>) {
      Read();
    } else {
      Socket().expires_after(kHandshake);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](error_code failed) {
                                if (!failed) self->Read();
                              });
    }
  }

 private:
  beast::tcp_stream& Socket() { return beast::get_lowest_layer(stream_); }

  void Read() {
    parser_.emplace();
    parser_->header_limit(kMostHeaderBytes);
    Socket().expires_after(kIdle);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code failed, std::size_t) {
                              if (!failed) self->Serve();
                            });
  }

  void Serve() {
    const auto& request = parser_->get();
    const bool has_body = parser_->content_length().value_or(0) > 0 || parser_->chunked();
    if (request.method() != http::verb::get || has_body) return Refuse();
    const std::string target(request.target());
    const auto mark = target.find('?');
    const PageRequest asked{target.substr(0, mark),
                            mark == std::string::npos ? "" : target.substr(mark + 1)};
    const std::weak_ptr<Core> core = weak_core_;
    core_.handler(asked,
                  [core, self = std::weak_ptr(this->shared_from_this())](Listener::MakePage make) {
                    const auto alive = core.lock();
                    if (!alive) return;
                    asio::post(alive->io, [self, make = std::move(make)] {
                      if (const auto connection = self.lock()) connection->Answer(make());
                    });
                  });
    core_.waiting.emplace(this, this->shared_from_this());
  }

  void Answer(const Page& page) {
    const auto self = core_.waiting.extract(this);
    response_ = {static_cast<http::status>(page.status), 11};
    response_.set(http::field::content_type, page.content_type);
    response_.body() = page.body;
    response_.keep_alive(parser_->keep_alive());
    Write();
  }

  void Refuse() {
    response_ = {http::status::method_not_allowed, 11};
    response_.set(http::field::allow, "GET");
    response_.keep_alive(false);
    Write();
  }

  void Write() {
    response_.prepare_payload();
    Socket().expires_after(kWrite);
    http::async_write(
        stream_, response_, [self = this->shared_from_this()](error_code failed, std::size_t) {
          if (failed) {
            spdlog::debug("an answer to somebody who looked did not arrive: {}", failed.message());
          } else if (self->response_.keep_alive()) {
            self->Read();
          }
        });
  }

  const std::weak_ptr<Core> weak_core_;
  Core& core_;
  std::shared_ptr<TlsServer> tls_;
  Stream stream_;
  beast::flat_buffer buffer_{kMostHeaderBytes + 1024};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

void Serve(const std::shared_ptr<Core>& core, tcp::socket socket) {
  if (core->connections >= kMostConnections) return;
  if (!core->tls) {
    return std::make_shared<Connection<beast::tcp_stream>>(core, std::move(socket))->Start();
  }
  std::make_shared<Connection<beast::ssl_stream<beast::tcp_stream>>>(core, std::move(socket),
                                                                     core->tls->Current())
      ->Start();
}

void Accept(const std::shared_ptr<Core>& core) {
  core->acceptor.async_accept([weak = std::weak_ptr(core)](error_code failed, tcp::socket socket) {
    const auto alive = weak.lock();
    if (!alive || failed == asio::error::operation_aborted) return;
    if (!failed) {
      Serve(alive, std::move(socket));
      return Accept(alive);
    }
    // No descriptors are left: not in a loop.
    std::ignore = alive->pause.expires_after(kPauseWithoutDescriptors);
    alive->pause.async_wait([weak](error_code) {
      if (const auto still = weak.lock()) Accept(still);
    });
  });
}

class BeastListener final : public Listener {
 public:
  explicit BeastListener(std::shared_ptr<Core> core)
      : core_(std::move(core)), thread_([this] { core_->io.run(); }) {}
  ~BeastListener() override {
    core_->io.stop();
    thread_.join();
    core_->waiting.clear();
    error_code ignored;
    ignored = core_->acceptor.close(ignored);
  }

 private:
  const std::shared_ptr<Core> core_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Listener>> OpenHttpListener(const ListenAddress& address,
                                                   const std::shared_ptr<TlsFiles>& tls,
                                                   Listener::Handler handler) {
  auto core = std::make_shared<Core>();
  core->handler = std::move(handler);
  core->tls = tls;
  const char* step = "address";
  error_code failed;
  const auto host = asio::ip::make_address(address.host, failed);
  const tcp::endpoint endpoint(host, address.port);
  const auto go_on = [&](const char* next) {
    if (!failed) step = next;
    return !failed;
  };
  if (go_on("open")) failed = core->acceptor.open(endpoint.protocol(), failed);
  if (go_on("reuse"))
    failed = core->acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
  if (go_on("bind")) failed = core->acceptor.bind(endpoint, failed);
  if (go_on("listen"))
    failed = core->acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) {
    return Fail(ErrorKind::kRetry,
                "cannot listen on " + address.ToString() + ": " + step + ": " + failed.message());
  }
  Accept(core);
  return std::make_unique<BeastListener>(std::move(core));
}

}  // namespace dra_health

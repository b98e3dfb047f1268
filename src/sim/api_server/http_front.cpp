#include "sim/api_server/http_front.h"

#include <exception>
#include <mutex>
#include <utility>
#include <vector>

// Before cpprestsdk, whose macro U breaks it.
#include <spdlog/spdlog.h>

#include <cpprest/http_listener.h>
#include <cpprest/producerconsumerstream.h>
// Last: it does not compile on its own in C++20.
#include <pplx/threadpool.h>

namespace dra_health::sim {

namespace {

using web::http::http_request;
using web::http::http_response;
using web::http::experimental::listener::http_listener;
using web::http::experimental::listener::http_listener_config;

constexpr std::size_t kPoolThreads = 2;

// A failed task that nobody looks at ends the process.
void Observe(const pplx::task<void>& task) {
  task.then([](const pplx::task<void>& done) {
    try {
      done.get();
    } catch (const std::exception& error) {
      spdlog::debug("API server: an answer did not arrive: {}", error.what());
    }
  });
}

class ProducerStream final : public ByteStream {
 public:
  void Write(std::string_view bytes) override {
    Observe(buffer_.putn_nocopy(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())
                .then([](std::size_t) {}));
    Observe(buffer_.sync());
  }
  void Close() override { Observe(buffer_.close(std::ios_base::out)); }

  concurrency::streams::istream Read() { return buffer_.create_istream(); }

 private:
  concurrency::streams::producer_consumer_buffer<std::uint8_t> buffer_;
};

std::string Header(const http_request& request, const char* name) {
  const auto found = request.headers().find(name);
  return found == request.headers().end() ? std::string() : found->second;
}

// Throws web::uri_exception on a malformed escape.
ApiRequest Convert(const http_request& request, std::string body) {
  ApiRequest converted;
  const web::uri uri = request.relative_uri();
  converted.method = request.method();
  converted.path = web::uri::decode(uri.path());
  converted.target = uri.to_string();
  for (const auto& [name, value] : web::uri::split_query(uri.query())) {
    converted.query[web::uri::decode(name)] = web::uri::decode(value);
  }
  converted.content_type = Header(request, "Content-Type");
  constexpr std::string_view kBearer = "Bearer ";
  if (const std::string credentials = Header(request, "Authorization");
      credentials.starts_with(kBearer)) {
    converted.token = credentials.substr(kBearer.size());
  }
  converted.body = std::move(body);
  return converted;
}

http_response Convert(const FrontReply& reply) {
  http_response response(static_cast<web::http::status_code>(reply.status));
  if (reply.retry_after.count() > 0) {
    response.headers().add("Retry-After", std::to_string(reply.retry_after.count()));
  }
  if (reply.stream) {
    response.set_body(static_cast<ProducerStream&>(*reply.stream).Read(), reply.content_type);
  } else if (reply.promised) {
    response.set_body(concurrency::streams::bytestream::open_istream(reply.body), *reply.promised,
                      reply.content_type);
  } else {
    response.set_body(reply.body, reply.content_type);
  }
  return response;
}

// Shared with the library's tasks, which may outlive the front by a moment.
struct Shared {
  HttpFront::Handler handler;
  std::mutex mutex;
  std::vector<http_request> hanging;
  bool closed = false;

  void Answer(http_request request, const pplx::task<std::string>& body) {
    FrontReply reply;
    try {
      const ApiRequest converted = Convert(request, body.get());
      const std::lock_guard lock(mutex);
      if (closed) return Observe(request.reply(web::http::status_codes::ServiceUnavailable));
      reply = handler(converted, request.remote_address());
      if (reply.hang) return hanging.push_back(std::move(request));
    } catch (const std::exception&) {
      return Observe(request.reply(web::http::status_codes::BadRequest));
    }
    Observe(request.reply(Convert(reply)));
  }
};

// Opening and closing each occupy a thread of the pool until all is done; as many at once as the
// pool has threads would wait for each other for ever.
std::mutex& LibraryMutex() {
  static std::mutex mutex;
  return mutex;
}

void SetUpTls(boost::asio::ssl::context& context, const Certificates& certificates,
              bool require_client_certificate) {
  namespace ssl = boost::asio::ssl;
  const auto buffer = [](const std::string& text) { return boost::asio::buffer(text); };
  context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                      ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  context.use_certificate_chain(buffer(certificates.server));
  context.use_private_key(buffer(certificates.server_key), ssl::context::pem);
  if (require_client_certificate) {
    context.add_certificate_authority(buffer(certificates.ca));
    context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  }
}

class ListenerFront final : public HttpFront {
 public:
  ListenerFront(const std::string& url, const http_listener_config& config, Handler handler)
      : shared_(std::make_shared<Shared>()), listener_(url, config) {
    shared_->handler = std::move(handler);
    listener_.support([shared = shared_](http_request request) {
      request.extract_string(/*ignore_content_type=*/true)
          .then([shared, request](const pplx::task<std::string>& body) {
            shared->Answer(request, body);
          });
    });
  }

  void Listen() {
    const std::lock_guard lock(LibraryMutex());
    listener_.open().get();
  }

  ~ListenerFront() override {
    std::vector<http_request> hanging;
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->closed = true;
      hanging.swap(shared_->hanging);
    }
    for (const http_request& request : hanging) {
      Observe(request.reply(web::http::status_codes::ServiceUnavailable));
    }
    const std::lock_guard lock(LibraryMutex());
    try {
      listener_.close().get();
    } catch (const std::exception& error) {
      spdlog::debug("API server: the listener was never opened: {}", error.what());
    }
  }

 private:
  std::shared_ptr<Shared> shared_;
  http_listener listener_;
};

}  // namespace

std::shared_ptr<ByteStream> ByteStream::Create() { return std::make_shared<ProducerStream>(); }

Result<std::unique_ptr<HttpFront>> HttpFront::Open(const FrontOptions& options, Handler handler) {
  try {
    // The default is 40 threads.
    crossplat::threadpool::initialize_with_threads(kPoolThreads);
  } catch (const std::exception&) {
    spdlog::debug("API server: the HTTP library's pool was set up before");
  }
  const std::string url =
      std::string(options.tls ? "https" : "http") + "://127.0.0.1:" + std::to_string(options.port);
  http_listener_config config;
  if (options.tls) {
    // By value: the library may call it again for as long as the process lives.
    config.set_ssl_context_callback(
        [certificates = *options.tls, required = options.require_client_certificate](
            boost::asio::ssl::context& context) { SetUpTls(context, certificates, required); });
  }
  try {
    auto front = std::make_unique<ListenerFront>(url, config, std::move(handler));
    front->Listen();
    return front;
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kRetry, "cannot listen on " + url + ": " + error.what());
  }
}

}  // namespace dra_health::sim

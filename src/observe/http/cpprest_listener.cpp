#include "observe/http/cpprest_listener.h"

#include <exception>
#include <string>
#include <utility>

// Before cpprestsdk, whose macro U breaks it.
#include <spdlog/spdlog.h>

#include <cpprest/http_listener.h>

namespace dra_health {
namespace {

using web::http::http_request;
using web::http::http_response;
using web::http::experimental::listener::http_listener;
using web::http::experimental::listener::http_listener_config;

// A failed task that nobody looks at ends the process.
void Observe(const pplx::task<void>& task) {
  task.then([](const pplx::task<void>& done) {
    try {
      done.get();
    } catch (const std::exception& error) {
      spdlog::debug("an answer to somebody who looked did not arrive: {}", error.what());
    }
  });
}

http_response Convert(const Page& page) {
  http_response response(static_cast<web::http::status_code>(page.status));
  response.set_body(page.body, page.content_type);
  return response;
}

// Runs for each connection, before its handshake. The library drops the connection on a
// system_error and dies of any other exception.
void SetUpTls(boost::asio::ssl::context& context, const TlsPair& pair) {
  namespace ssl = boost::asio::ssl;
  context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                      ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  context.use_certificate_chain(boost::asio::buffer(pair.certificate));
  context.use_private_key(boost::asio::buffer(pair.key), ssl::context::pem);
}

http_response Refusal() {
  http_response response(web::http::status_codes::MethodNotAllowed);
  response.headers().add("Allow", "GET");
  response.headers().add("Connection", "close");
  return response;
}

bool HasBody(const http_request& request) {
  return request.headers().content_length() > 0 ||
         request.headers().has(web::http::header_names::transfer_encoding);
}

void Serve(const http_request& request, const Listener::Handler& handler) {
  if (request.method() != web::http::methods::GET || HasBody(request)) {
    return Observe(request.reply(Refusal()));
  }
  const web::uri uri = request.relative_uri();
  handler({uri.path(), uri.query()}, [request](Listener::MakePage make) {
    Observe(pplx::create_task(
        [request, make = std::move(make)] { Observe(request.reply(Convert(make()))); }));
  });
}

class CpprestListener final : public Listener {
 public:
  CpprestListener(const std::string& url, const http_listener_config& config, Handler handler)
      : listener_(url, config) {
    listener_.support(
        [handler = std::move(handler)](const http_request& request) { Serve(request, handler); });
  }

  void Open() { listener_.open().get(); }

  ~CpprestListener() override {
    try {
      listener_.close().get();
    } catch (const std::exception& error) {
      spdlog::debug("the listener was never opened: {}", error.what());
    }
  }

 private:
  http_listener listener_;
};

}  // namespace

Result<std::unique_ptr<Listener>> OpenHttpListener(const ListenAddress& address,
                                                   const std::shared_ptr<TlsFiles>& tls,
                                                   Listener::Handler handler) {
  http_listener_config config;
  if (tls) {
    config.set_ssl_context_callback(
        [tls](boost::asio::ssl::context& context) { SetUpTls(context, *tls->Current()); });
  }
  try {
    const std::string url = (tls ? "https://" : "http://") + address.ToString();
    auto listener = std::make_unique<CpprestListener>(url, config, std::move(handler));
    listener->Open();
    return listener;
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kRetry, "cannot listen on " + address.ToString() + ": " + error.what());
  }
}

}  // namespace dra_health

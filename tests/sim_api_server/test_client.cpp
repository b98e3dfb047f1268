#include "tests/sim_api_server/test_client.h"

#include <cpprest/containerstream.h>
#include <cpprest/http_client.h>

#include <utility>

namespace dra_health::sim {

namespace {

using concurrency::streams::container_buffer;
using web::http::http_request;
using web::http::http_response;
using web::http::client::http_client;
using web::http::client::http_client_config;

class ReadingWatch final : public TestWatch {
 public:
  ReadingWatch(http_response response, pplx::cancellation_token_source cancel)
      : response_(std::move(response)), body_(response_.body()), cancel_(std::move(cancel)) {}
  // Nothing less makes the library leave the connection.
  ~ReadingWatch() override { cancel_.cancel(); }

  std::optional<std::string> NextLine() override {
    try {
      container_buffer<std::string> line;
      body_.read_line(line).get();
      if (line.collection().empty() && body_.is_eof()) return std::nullopt;
      return line.collection();
    } catch (const std::exception&) {
      broken_ = true;
      return std::nullopt;
    }
  }

  bool broken() const override { return broken_; }

 private:
  http_response response_;
  concurrency::streams::istream body_;
  pplx::cancellation_token_source cancel_;
  bool broken_ = false;
};

http_client_config Configure(const ApiServer& server, bool client_certificate) {
  http_client_config config;
  config.set_timeout(std::chrono::seconds(10));
  if (server.ca_file().empty()) return config;
  config.set_ssl_context_callback([ca = server.ca_file().string(),
                                   certificate = server.client_certificate_file().string(),
                                   key = server.client_key_file().string(),
                                   client_certificate](boost::asio::ssl::context& context) {
    context.load_verify_file(ca);
    if (!client_certificate) return;
    context.use_certificate_file(certificate, boost::asio::ssl::context::pem);
    context.use_private_key_file(key, boost::asio::ssl::context::pem);
  });
  return config;
}

}  // namespace

struct TestClient::Impl {
  http_client client;
  std::string token;

  http_response Request(const std::string& method, const std::string& target,
                        const std::string& body, const std::string& type,
                        const pplx::cancellation_token& cancel = pplx::cancellation_token::none()) {
    http_request request(method);
    request.set_request_uri(target);
    if (!token.empty()) request.headers().add("Authorization", "Bearer " + token);
    if (!body.empty()) request.set_body(body, type);
    return client.request(request, cancel).get();
  }
};

TestClient::TestClient(const ApiServer& server, std::string token, bool client_certificate)
    : impl_(new Impl{http_client(server.url(), Configure(server, client_certificate)),
                     std::move(token)}) {}
TestClient::~TestClient() = default;

HttpAnswer TestClient::Patch(const std::string& pod, const std::string& patch,
                             const std::string& type) {
  return Send("PATCH", "/api/v1/namespaces/default/pods/" + pod + "/status", patch, type);
}

HttpAnswer TestClient::Send(const std::string& method, const std::string& target,
                            const std::string& body, const std::string& type) {
  HttpAnswer answer;
  answer.whole = false;
  try {
    const http_response response = impl_->Request(method, target, body, type);
    answer.status = response.status_code();
    for (const auto& [name, value] : response.headers()) answer.headers[name] = value;
    container_buffer<std::string> text;
    response.body().read_to_end(text).get();
    answer.body = text.collection();
    response.content_ready().get();
    answer.whole = true;
  } catch (const std::exception&) {
    // `status` and `whole` say how far it got.
  }
  return answer;
}

std::unique_ptr<TestWatch> TestClient::Watch(const std::string& target) {
  try {
    pplx::cancellation_token_source cancel;
    http_response response = impl_->Request("GET", target, "", "", cancel.get_token());
    return std::make_unique<ReadingWatch>(std::move(response), std::move(cancel));
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace dra_health::sim

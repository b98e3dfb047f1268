// The one file that includes cpprestsdk: its exceptions and tasks end here.
#include "patcher/http/cpprest_client.h"

#include <openssl/ssl.h>
#include <spdlog/spdlog.h>  // before cpprestsdk, whose macro U is a name in fmt

#include <algorithm>
#include <charconv>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <cpprest/http_client.h>
// After http_client.h: on its own it does not compile in C++20.
#include <pplx/threadpool.h>

#include "patcher/http/call.h"
#include "patcher/http/explain.h"
#include "patcher/http/tls_context.h"
#include "patcher/http_threads.h"

namespace dra_health {
namespace {

using web::http::client::http_client;
using web::http::client::http_client_config;

constexpr std::size_t kPoolThreads = 2;
constexpr std::size_t kMaxBody = 64u << 20;  // a LIST of a full node is a few MiB

std::chrono::seconds RetryAfter(const web::http::http_response& response) {
  const auto header = response.headers().find("Retry-After");
  if (header == response.headers().end()) return {};
  // The other form, a date, would need this node's clock to be right.
  int seconds = 0;
  std::from_chars(header->second.data(), header->second.data() + header->second.size(), seconds);
  return std::chrono::seconds{std::max(seconds, 0)};
}

class CpprestClient final : public HttpClient {
 public:
  explicit CpprestClient(const Credentials& credentials)
      : credentials_(credentials),
        base_(BaseUri(credentials.server)),
        host_header_(HostHeader(credentials)),
        client_(NewClient()) {}

  HttpAnswer Send(const HttpRequest& request) override {
    return Guarded(request, [](const HttpResponse&) {}, nullptr);
  }

  HttpAnswer Stream(const HttpRequest& request, const std::function<void()>& on_open,
                    const OnData& on_data) override {
    return Guarded(request, [&](const HttpResponse&) { on_open(); }, on_data);
  }

  void Stop() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& call : calls_) call->Stop();
  }

 private:
  using OnHeaders = std::function<void(const HttpResponse&)>;

  static std::string BaseUri(const ServerAddress& server) {
    // Without brackets: the library hands the host to the resolver and to the check of the
    // certificate as it stands here, and neither knows brackets. It takes the port from the end,
    // so an address without them is parsed well as long as there is a port.
    return std::string(server.tls ? "https://" : "http://") + server.host + ":" +
           std::to_string(server.port) + server.path;
  }

  // The library checks the server's certificate against this header.
  static std::string HostHeader(const Credentials& credentials) {
    if (!credentials.tls.server_name.empty()) return credentials.tls.server_name;
    return credentials.server.host;
  }

  std::shared_ptr<http_client> NewClient() const {
    return std::make_shared<http_client>(base_, Config());
  }

  http_client_config Config() const {
    http_client_config config;
    config.set_max_redirects(0);  // a redirect would take the token along
    // Its timeout is per step of I/O; ours is for the whole, and the watch may be quiet for long.
    config.set_timeout(std::chrono::hours{1});
    config.set_tlsext_sni_enabled(!IsIpLiteral(host_header_));
    config.set_validate_certificates(!credentials_.tls.skip_verify);
    config.set_ssl_context_callback([tls = credentials_.tls](boost::asio::ssl::context& context) {
      // Thrown into the library, which turns it into a failed request.
      if (const Result<void> done = SetUpTls(context.native_handle(), tls); !done) {
        throw std::runtime_error(done.error().message);
      }
    });
    return config;
  }

  web::http::http_request ToLibrary(const HttpRequest& request) const {
    web::http::http_request out(request.method);
    out.set_request_uri(web::uri(request.target));
    out.headers().add("Host", host_header_);
    out.headers().add("Accept", "application/json");
    out.headers().add("User-Agent", "dra-health-agent");
    if (!request.token.empty()) out.headers().add("Authorization", "Bearer " + request.token);
    if (!request.content_type.empty()) out.set_body(request.body, request.content_type);
    return out;
  }

  HttpAnswer Guarded(const HttpRequest& request, const OnHeaders& on_headers,
                     const OnData& on_data) {
    const auto call = std::make_shared<Call>();
    std::shared_ptr<http_client> client;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return Fault(HttpFault::kStopped);
      calls_.insert(call);
      client = client_;
    }
    HttpAnswer answer = Exchange(*client, request, call, on_headers, on_data);
    const std::lock_guard lock(mutex_);
    calls_.erase(call);
    const bool broken = !answer && (answer.error().fault == HttpFault::kConnect ||
                                    answer.error().fault == HttpFault::kBroken ||
                                    answer.error().fault == HttpFault::kTruncated);
    // Where one connection failed, those that wait in the pool are dead as well, and each would
    // cost a request. The pool lives as long as its client.
    if (broken && client == client_) client_ = NewClient();
    return answer;
  }

  HttpAnswer Exchange(http_client& client, const HttpRequest& request,
                      const std::shared_ptr<Call>& call, const OnHeaders& on_headers,
                      const OnData& on_data) {
    const SteadyTime start = std::chrono::steady_clock::now();
    const SteadyTime deadline = start + request.timeout;
    bool headers_came = false;
    try {
      const auto opened = client.request(ToLibrary(request), call->token());
      const bool own_limit = request.open_timeout.count() > 0;
      const auto wake = Call::Wait(
          call, opened, own_limit ? std::min(deadline, start + request.open_timeout) : deadline);
      if (wake != Call::Wake::kDone) return Fault(FaultOf(wake, HttpFault::kTimeout));
      const web::http::http_response response = opened.get();
      headers_came = true;
      HttpResponse answer{.status = response.status_code(), .retry_after = RetryAfter(response)};
      const bool streaming = on_data != nullptr && answer.status == 200;
      if (streaming) on_headers(answer);
      const std::optional<HttpFault> fault =
          streaming ? ReadBody(response, call, deadline, request.quiet_timeout, on_data)
                    : ReadBody(response, call, deadline, {}, Collect(answer.body));
      if (!fault) return answer;
      const bool too_large = *fault == HttpFault::kEnded && !streaming;
      return Fault(too_large ? HttpFault::kTooLarge : *fault);
    } catch (const web::http::http_exception& error) {
      return tl::unexpected(ExplainFailure(error.what(), error.error_code().value(), headers_came,
                                           credentials_.server, host_header_));
    } catch (const std::exception& error) {
      return tl::unexpected(
          HttpError{headers_came ? HttpFault::kTruncated : HttpFault::kConnect, error.what()});
    }
  }

  static OnData Collect(std::string& body) {
    return [&body](std::string_view piece) {
      body.append(piece);
      return body.size() <= kMaxBody;
    };
  }

  // Throws what the library throws when the connection ends before the body does.
  static std::optional<HttpFault> ReadBody(const web::http::http_response& response,
                                           const std::shared_ptr<Call>& call, SteadyTime deadline,
                                           std::chrono::milliseconds quiet, const OnData& on_data) {
    auto buffer = response.body().streambuf();
    for (;;) {
      const auto more = buffer.getc();  // takes nothing: it is the wait for something to take
      const SteadyTime quiet_until =
          quiet.count() > 0 ? std::chrono::steady_clock::now() + quiet : SteadyTime::max();
      const auto wake = Call::Wait(call, more, std::min(deadline, quiet_until));
      if (wake != Call::Wake::kDone) {
        return FaultOf(wake, quiet_until < deadline ? HttpFault::kQuiet : HttpFault::kTimeout);
      }
      if (more.get() == concurrency::streams::char_traits<std::uint8_t>::eof()) break;
      std::uint8_t* data = nullptr;
      std::size_t size = 0;
      if (!buffer.acquire(data, size)) break;
      const bool go_on = on_data({reinterpret_cast<const char*>(data), size});
      buffer.release(data, size);
      if (!go_on) {
        call->Cancel();
        return HttpFault::kEnded;
      }
    }
    // An end of the buffer is not yet a complete body.
    const auto complete = response.content_ready();
    const auto wake = Call::Wait(call, complete, deadline);
    if (wake != Call::Wake::kDone) return FaultOf(wake, HttpFault::kTimeout);
    complete.get();
    return std::nullopt;
  }

  static HttpFault FaultOf(Call::Wake wake, HttpFault at_deadline) {
    return wake == Call::Wake::kStopped ? HttpFault::kStopped : at_deadline;
  }

  static tl::unexpected<HttpError> Fault(HttpFault fault) {
    const auto why = [&] {
      switch (fault) {
        case HttpFault::kTimeout:
          return "no complete answer in time";
        case HttpFault::kQuiet:
          return "nothing came for too long";
        case HttpFault::kTooLarge:
          return "the answer is too large";
        case HttpFault::kStopped:
          return "stopped";
        default:
          return "ended";
      }
    };
    return tl::unexpected(HttpError{fault, why()});
  }

  const Credentials credentials_;
  const web::uri base_;
  const std::string host_header_;

  std::mutex mutex_;
  std::shared_ptr<http_client> client_;    // guarded by mutex_
  std::set<std::shared_ptr<Call>> calls_;  // guarded by mutex_
  bool stopped_ = false;                   // guarded by mutex_
};

}  // namespace

void StartHttpThreads() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      crossplat::threadpool::initialize_with_threads(kPoolThreads);
    } catch (const std::exception& error) {
      spdlog::debug("the HTTP library's threads were there already: {}", error.what());
    }
  });
}

Result<std::unique_ptr<HttpClient>> MakeHttpClient(const Credentials& credentials) {
  StartHttpThreads();
  if (credentials.server.tls) {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> trial(SSL_CTX_new(TLS_client_method()),
                                                                  &SSL_CTX_free);
    if (const Result<void> done = SetUpTls(trial.get(), credentials.tls); !done) {
      return tl::unexpected(done.error());
    }
  }
  try {
    return std::make_unique<CpprestClient>(credentials);
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kFatal,
                "no client for " + credentials.server.Url() + ": " + error.what());
  }
}

}  // namespace dra_health

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace dra_health {

struct HttpRequest {
  std::string method;  // "GET", "PATCH", "DELETE"
  std::string target;  // path and query, escaped
  std::string content_type;
  std::string body;
  std::string token;                          // bearer token; empty: none
  std::chrono::milliseconds timeout{10'000};  // for all of it, however busy the connection is
  // Stream only, 0 is no limit of its own: until the headers, and from one byte to the next.
  std::chrono::milliseconds open_timeout{0};
  std::chrono::milliseconds quiet_timeout{0};
};

struct HttpResponse {
  int status = 0;
  std::chrono::seconds retry_after{0};
  std::string body;
};

enum class HttpFault {
  kConnect,    // no connection: refused, unreachable, not resolved, TLS refused
  kBroken,     // the connection ended before an answer came: a stale one from the pool, often
  kTruncated,  // ... in the middle of the answer
  kTimeout,    // the total time is over
  kQuiet,      // an open stream brought nothing for too long
  kTooLarge,   // the body passes the limit
  kEnded,      // the receiver of a stream wanted no more
  kStopped,    // Stop() was called
};

struct HttpError {
  HttpFault fault = HttpFault::kBroken;
  std::string why;
};

using HttpAnswer = tl::expected<HttpResponse, HttpError>;

// HTTP to one server, as little as the agent needs. Redirects are answers, never followed.
//
// Thread: any, for every method. Send and Stream block the caller until the answer, the deadline
// or Stop, whichever comes first. Nothing throws.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  virtual HttpAnswer Send(const HttpRequest& request) = 0;

  // As Send, but the body of a 200 goes piece by piece to `on_data`, which returns false to end the
  // stream; `on_open` is called before, once.
  using OnData = std::function<bool(std::string_view)>;
  virtual HttpAnswer Stream(const HttpRequest& request, const std::function<void()>& on_open,
                            const OnData& on_data) = 0;

  // Ends every call under way and refuses new ones.
  virtual void Stop() = 0;
};

}  // namespace dra_health

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sim/api_server/certificates.h"
#include "sim/api_server/http_message.h"

namespace dra_health::sim {

// A response body that grows while it is sent.
//
// Not synchronised between writers. Writing to one whose client has gone is harmless.
class ByteStream {
 public:
  static std::shared_ptr<ByteStream> Create();
  virtual ~ByteStream() = default;
  virtual void Write(std::string_view bytes) = 0;
  virtual void Close() = 0;
};

// One answer as the front sends it.
struct FrontReply {
  int status = 200;
  std::string content_type;
  std::string body;
  std::chrono::seconds retry_after{0};
  std::shared_ptr<ByteStream> stream;   // instead of `body`, chunked
  std::optional<std::size_t> promised;  // a Content-Length that `body` does not keep
  bool hang = false;                    // no answer until the front closes
};

struct FrontOptions {
  std::uint16_t port = 0;  // on 127.0.0.1
  std::optional<Certificates> tls;
  bool require_client_certificate = false;
};

// The HTTP(S) side: cpprestsdk's listener and nothing else; the only file that includes it.
//
// Thread: Open and the destructor, any but the library's pool. The handler is called on the pool's
// threads, several at once, and must not block. `connection` is the peer's address (see Relay).
// The destructor answers what hangs and waits until no handler runs; open streams must be closed
// before.
class HttpFront {
 public:
  using Handler =
      std::function<FrontReply(const ApiRequest& request, const std::string& connection)>;

  // Errors: kRetry, the port is taken.
  static Result<std::unique_ptr<HttpFront>> Open(const FrontOptions& options, Handler handler);
  virtual ~HttpFront() = default;
};

}  // namespace dra_health::sim

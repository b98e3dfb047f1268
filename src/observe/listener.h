#pragma once

#include <functional>
#include <memory>

#include "base/error.h"
#include "observe/listen_address.h"
#include "observe/page.h"
#include "observe/tls_files.h"

namespace dra_health {

// An HTTP server as small as it can be: it takes GETs and sends pages.
//
// Thread: opened and destroyed on main. The handler is called on the listener's own thread and
// must not block. What it is given to answer with may be called once, from any thread,
// also after the listener is gone; the page is made on its own thread.
class Listener {
 public:
  using MakePage = std::function<Page()>;
  using Answer = std::function<void(MakePage)>;
  using Handler = std::function<void(const PageRequest&, const Answer&)>;

  virtual ~Listener() = default;
};

// `tls` is null for plain HTTP. Errors: kRetry, the address cannot be listened on, and why.
using OpenListener = std::function<Result<std::unique_ptr<Listener>>(
    const ListenAddress& address, const std::shared_ptr<TlsFiles>& tls, Listener::Handler handler)>;

}  // namespace dra_health

#pragma once

#include "observe/listener.h"

namespace dra_health {

// The real server: bounded in connections, header, body and time. See OpenListener.
Result<std::unique_ptr<Listener>> OpenHttpListener(const ListenAddress& address,
                                                   const std::shared_ptr<TlsFiles>& tls,
                                                   Listener::Handler handler);

}  // namespace dra_health

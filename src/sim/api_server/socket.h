#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"

namespace dra_health::sim {

// A listening TCP socket on a literal IPv4 or IPv6 address; port 0: any free one.
Result<UniqueFd> ListenTcp(const std::string& address, std::uint16_t port);
Result<std::uint16_t> LocalPort(const UniqueFd& socket);
// Connects to 127.0.0.1:`port` from the IPv4 loopback address `source`. None on failure.
UniqueFd ConnectLoopback(const std::string& source, std::uint16_t port);
// A port of 127.0.0.1 that nobody listens on at the moment.
Result<std::uint16_t> FreeLoopbackPort();
void SetNoDelay(const UniqueFd& socket);
// Makes the close of this socket a reset.
void ResetOnClose(const UniqueFd& socket);

}  // namespace dra_health::sim

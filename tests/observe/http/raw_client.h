#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace dra_health {

// A port of 127.0.0.1 that nobody listens on.
std::uint16_t FreePort();

// Holds a port of 127.0.0.1 as another program would.
UniqueFd TakePort(std::uint16_t port);

// A TCP connection to 127.0.0.1 that sends what it is told, however wrong. Waits at most 20 s.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port);

  // How much of it was taken before the peer closed the connection.
  std::size_t Send(std::string_view bytes);
  // What comes until `end` has, or the peer closes.
  std::string ReadUntil(std::string_view end);

 private:
  UniqueFd socket_;
};

}  // namespace dra_health

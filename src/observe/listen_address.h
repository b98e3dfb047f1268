#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace dra_health {

// Where the agent can be looked at: an IPv4 address and a port, or nowhere.
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;

  bool off() const { return port == 0; }
  bool loopback() const { return host.starts_with("127."); }
  std::string ToString() const;  // "127.0.0.1:10468", or "off"

  bool operator==(const ListenAddress&) const = default;
};

// Out of the way of Kubernetes' own ports, of NodePorts and of ephemeral ports.
inline const ListenAddress kDefaultListenAddress{"127.0.0.1", 10468};

// "localhost" is 127.0.0.1; an IPv6 address is refused. The error says what is wrong with the text.
tl::expected<ListenAddress, std::string> ParseListenAddress(std::string_view text);

}  // namespace dra_health

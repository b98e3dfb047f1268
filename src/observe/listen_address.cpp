#include "observe/listen_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <limits>
#include <optional>

namespace dra_health {
namespace {

tl::unexpected<std::string> Wrong(std::string_view text, std::string_view what) {
  return tl::unexpected<std::string>("'" + std::string(text) + "' " + std::string(what));
}

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  unsigned port = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && rest == text.data() + text.size();
  if (!whole || port == 0 || port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

}  // namespace

std::string ListenAddress::ToString() const {
  return off() ? "off" : host + ":" + std::to_string(port);
}

tl::expected<ListenAddress, std::string> ParseListenAddress(std::string_view text) {
  if (text == "off") return ListenAddress{};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return Wrong(text, "has no port");
  std::string host(text.substr(0, colon));
  if (host.find(':') != std::string::npos) return Wrong(text, "is an IPv6 address");
  if (host == "localhost") host = "127.0.0.1";
  in_addr ignored{};
  if (::inet_pton(AF_INET, host.c_str(), &ignored) != 1) {
    return Wrong(text, "does not begin with an IPv4 address");
  }
  const auto port = ParsePort(text.substr(colon + 1));
  if (!port) return Wrong(text, "does not end with a port from 1 to 65535");
  return ListenAddress{std::move(host), *port};
}

}  // namespace dra_health

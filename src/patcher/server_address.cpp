#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "patcher/credentials.h"

namespace dra_health {
namespace {

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

bool IsHostCharacter(unsigned char c) {
  return std::isalnum(c) || c == '-' || c == '.' || c == '_';
}

// Takes host and port apart; the brackets are what tells the colons of an IPv6 literal from the
// port's.
bool ParseAuthority(std::string_view authority, ServerAddress& address) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return false;
    address.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
    if (!IsIpLiteral(address.host)) return false;
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    address.host = authority.substr(0, colon);
    port = authority.substr(colon);
    if (address.host.empty() || !std::ranges::all_of(address.host, IsHostCharacter)) return false;
  }
  if (port.empty()) {
    address.port = address.tls ? 443 : 80;
    return true;
  }
  const std::optional<std::uint16_t> parsed = ParsePort(port.substr(1));
  if (!port.starts_with(':') || !parsed) return false;
  address.port = *parsed;
  return true;
}

}  // namespace

bool IsIpLiteral(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string ServerAddress::HostAndPort() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string ServerAddress::Url() const {
  return (tls ? "https://" : "http://") + HostAndPort() + path;
}

tl::expected<ServerAddress, std::string> ParseServerAddress(const std::string& url) {
  ServerAddress address;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(std::string_view("https://").size());
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(std::string_view("http://").size());
    address.tls = false;
  } else {
    rest = {};
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  address.path = rest.substr(slash);
  while (address.path.ends_with('/')) address.path.pop_back();
  const bool plain_path = address.path.find_first_of("?# ") == std::string::npos;
  if (!plain_path || !ParseAuthority(rest.substr(0, slash), address)) {
    return tl::unexpected("\"" + url +
                          "\" is no server address; allowed are https://HOST[:PORT][/PATH] and "
                          "http://..., an IPv6 address in brackets");
  }
  return address;
}

}  // namespace dra_health

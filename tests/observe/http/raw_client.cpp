#include "tests/observe/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>

#include <gtest/gtest.h>

namespace dra_health {
namespace {

sockaddr_in Localhost(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

UniqueFd Socket() { return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

}  // namespace

UniqueFd TakePort(std::uint16_t port) {
  UniqueFd socket = Socket();
  const sockaddr_in address = Localhost(port);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(socket.get(), 1), 0);
  return socket;
}

std::uint16_t FreePort() {
  const UniqueFd socket = TakePort(0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  return ntohs(address.sin_port);
}

RawClient::RawClient(std::uint16_t port) : socket_(Socket()) {
  const timeval patience{20, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const sockaddr_in address = Localhost(port);
  EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            0);
}

std::size_t RawClient::Send(std::string_view bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto now = ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) break;
    sent += static_cast<std::size_t>(now);
  }
  return sent;
}

std::string RawClient::ReadUntil(std::string_view end) {
  std::string all;
  std::array<char, 4096> buffer{};
  while (all.find(end) == std::string::npos) {
    const auto got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return all;
}

}  // namespace dra_health

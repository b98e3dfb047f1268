#include "plain_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dra_health {

PlainSocket::PlainSocket(const std::filesystem::path& path)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("bind " + path.native() + ": " + std::strerror(errno));
  }
}

void PlainSocket::Listen() {
  if (::listen(fd_.get(), 16) != 0) throw std::runtime_error(std::strerror(errno));
}

RudePeer::RudePeer(const std::filesystem::path& path, std::string greeting)
    : greeting_(std::move(greeting)), socket_(path) {
  socket_.Listen();
  thread_ = std::thread(&RudePeer::Serve, this);
}

RudePeer::~RudePeer() {
  ::shutdown(socket_.fd(), SHUT_RDWR);  // wakes accept
  thread_.join();
}

void RudePeer::Serve() {
  std::vector<UniqueFd> peers;
  for (;;) {
    UniqueFd peer(::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer) return;
    // A peer that has hung up by now is no reason to stop.
    [[maybe_unused]] const auto sent =
        ::send(peer.get(), greeting_.data(), greeting_.size(), MSG_NOSIGNAL);
    peers.push_back(std::move(peer));
  }
}

}  // namespace dra_health

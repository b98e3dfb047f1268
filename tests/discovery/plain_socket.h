#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/unique_fd.h"

namespace dra_health {

// A bound Unix socket without any protocol. The file stays when the object goes, as after SIGKILL.
class PlainSocket {
 public:
  explicit PlainSocket(const std::filesystem::path& path);

  void Listen();
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

// Accepts connections and says `greeting` to each, whatever the peer says; keeps them open.
class RudePeer {
 public:
  RudePeer(const std::filesystem::path& path, std::string greeting);
  ~RudePeer();

 private:
  void Serve();

  const std::string greeting_;
  PlainSocket socket_;
  std::thread thread_;
};

}  // namespace dra_health

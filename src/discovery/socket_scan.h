#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <system_error>
#include <vector>

namespace dra_health {

// Which socket a path means right now. A file name says nothing: names are used again by the next
// process, and inode numbers by the next file (tmpfs hands the same one out at once), hence the
// time as well.
struct SocketIdentity {
  std::int64_t modified_ns = 0;  // first, so that order is the order in which they were made
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  auto operator<=>(const SocketIdentity&) const = default;
};

struct SocketScan {
  std::map<std::filesystem::path, SocketIdentity> sockets;
  // Folders that are there but could not be read; nothing is known about what lies in them.
  std::map<std::filesystem::path, std::error_code> unreadable;
  bool missing = false;  // the root itself does not exist, or is no folder
};

// The sockets below `root`, sub-folders included. Names with a leading dot are ignored, as the
// kubelet ignores them. `entering` is called with each folder before it is read.
SocketScan ScanSockets(const std::filesystem::path& root,
                       const std::function<void(const std::filesystem::path&)>& entering);

}  // namespace dra_health

#include "discovery/socket_scan.h"

#include <sys/stat.h>

#include <utility>

namespace dra_health {
namespace {

namespace fs = std::filesystem;

// A folder below the root may have become a file meanwhile; the root is a mistake of somebody's.
bool IsMissing(const std::error_code& error, bool is_root) {
  return error == std::errc::no_such_file_or_directory ||
         (!is_root && error == std::errc::not_a_directory);
}

SocketIdentity IdentityOf(const struct stat& status) {
  return {.modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
          .device = status.st_dev,
          .inode = status.st_ino};
}

// Adds what `entry` is to `scan` or `folders`. An entry that vanished meanwhile is nothing.
void Sort(const fs::directory_entry& entry, SocketScan& scan, std::vector<fs::path>& folders) {
  if (entry.path().filename().native().starts_with('.')) return;
  struct stat status;
  if (::lstat(entry.path().c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    folders.push_back(entry.path());
    return;
  }
  // A link may stand for a socket, but is not followed into a folder: it could lead in a circle.
  if (S_ISLNK(status.st_mode) && ::stat(entry.path().c_str(), &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) scan.sockets.emplace(entry.path(), IdentityOf(status));
}

}  // namespace

SocketScan ScanSockets(const fs::path& root, const std::function<void(const fs::path&)>& entering) {
  SocketScan scan;
  std::vector<fs::path> folders{root};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    entering(folder);
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      Sort(*entry, scan, folders);
    }
    if (!error) continue;
    if (!IsMissing(error, folder == root)) {
      scan.unreadable.emplace(folder, error);
    } else if (folder == root) {
      scan.missing = true;
    }
  }
  return scan;
}

}  // namespace dra_health

#include "discovery/folder_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

namespace dra_health {
namespace {

// Whatever changes the names in a folder, or which folder its path means.
constexpr std::uint32_t kMask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

// IN_IGNORED alone is the echo of a watch we removed ourselves; a folder that is gone sends
// IN_DELETE_SELF or IN_UNMOUNT before it.
bool Matters(std::uint32_t mask) { return (mask & ~std::uint32_t{IN_IGNORED}) != 0; }

bool AnyMatters(const char* events, std::size_t size) {
  bool matters = false;
  for (std::size_t at = 0; at < size;) {
    inotify_event event;
    std::memcpy(&event, events + at, sizeof event);
    matters |= Matters(event.mask);
    at += sizeof event + event.len;
  }
  return matters;
}

}  // namespace

FolderWatch::FolderWatch()
    : FolderWatch([] { return ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }) {}

int FolderWatch::Open() {
  if (inotify_) return 0;
  inotify_ = UniqueFd(open_());
  return inotify_ ? 0 : errno;
}

int FolderWatch::Add(const std::filesystem::path& folder) {
  if (!inotify_) return EBADF;
  const int watch = ::inotify_add_watch(inotify_.get(), folder.c_str(), kMask);
  if (watch < 0) return errno;
  added_.insert(watch);
  return 0;
}

void FolderWatch::KeepAdded() {
  std::vector<int> stale;
  std::set_difference(kept_.begin(), kept_.end(), added_.begin(), added_.end(),
                      std::back_inserter(stale));
  for (const int watch : stale) ::inotify_rm_watch(inotify_.get(), watch);
  kept_ = std::exchange(added_, {});
}

bool FolderWatch::Drain() {
  bool matters = false;
  std::array<char, 16384> buffer;
  while (inotify_) {
    const auto size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) break;
    matters |= AnyMatters(buffer.data(), static_cast<std::size_t>(size));
  }
  return matters;
}

}  // namespace dra_health

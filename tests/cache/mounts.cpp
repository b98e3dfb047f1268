#include "tests/cache/mounts.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dra_health {
namespace {

constexpr uid_t kNobody = 65534;

std::string Refused(const char* what) {
  return std::string(what) + " needs privileges: " + std::strerror(errno);
}

// A mount namespace of our own, which does not propagate to the machine's.
std::string LeaveMountNamespace() {
  if (::unshare(CLONE_NEWNS) != 0) return Refused("a mount namespace");
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return Refused("mounting");
  return "";
}

}  // namespace

Mount Mount::Tmpfs(const std::filesystem::path& at, const std::string& size) {
  Mount made;
  made.why_not_ = LeaveMountNamespace();
  if (!made.why_not_.empty()) return made;
  std::filesystem::create_directories(at);
  if (::mount("tmpfs", at.c_str(), "tmpfs", 0, ("size=" + size).c_str()) != 0) {
    made.why_not_ = Refused("mounting a tmpfs");
  } else {
    made.at_ = at;
  }
  return made;
}

Mount Mount::ReadOnlyView(const std::filesystem::path& of, const std::filesystem::path& at) {
  Mount made;
  made.why_not_ = LeaveMountNamespace();
  if (!made.why_not_.empty()) return made;
  std::filesystem::create_directories(at);
  if (::mount(of.c_str(), at.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    made.why_not_ = Refused("a bind mount");
    return made;
  }
  made.at_ = at;
  if (::mount(nullptr, at.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
    made.why_not_ = Refused("a read-only bind mount");
  }
  return made;
}

Mount::Mount(Mount&& other) noexcept
    : at_(std::exchange(other.at_, {})), why_not_(std::move(other.why_not_)) {}

Mount::~Mount() {
  if (!at_.empty()) ::umount2(at_.c_str(), MNT_DETACH);
}

OrdinaryUser::OrdinaryUser() : was_root_(::geteuid() == 0) {
  if (was_root_ && ::seteuid(kNobody) != 0) std::abort();
}

OrdinaryUser::~OrdinaryUser() {
  if (was_root_ && ::seteuid(0) != 0) std::abort();
}

}  // namespace dra_health

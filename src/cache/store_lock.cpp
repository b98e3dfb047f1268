#include "cache/store_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace dra_health {
namespace {

std::filesystem::path LockPath(std::filesystem::path store) { return store += ".lock"; }

struct flock WholeFile() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string ReadHolder(int file) {
  std::array<char, 256> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  std::string holder(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  holder.resize(std::min(holder.find('\n'), holder.size()));
  return holder.empty() ? "another process" : holder;
}

void WriteHolder(int file) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text =
      "process " + std::to_string(::getpid()) + " on " + std::string(host.data()) + "\n";
  // A full disk is no reason not to hold the lock.
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) < 0) return;
}

bool SameFile(int file, const std::filesystem::path& path) {
  struct stat open_file{};
  struct stat named_file{};
  return ::fstat(file, &open_file) == 0 && ::stat(path.c_str(), &named_file) == 0 &&
         open_file.st_ino == named_file.st_ino && open_file.st_dev == named_file.st_dev;
}

}  // namespace

Result<StoreLock> StoreLock::Acquire(const std::filesystem::path& store) {
  const std::filesystem::path path = LockPath(store);
  for (;;) {
    UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file) {
      return Fail(ErrorKind::kRetry,
                  "cannot open the lock file " + path.string() + ": " + std::strerror(errno));
    }
    struct flock lock = WholeFile();
    if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
      if (errno != EAGAIN && errno != EACCES) {
        return Fail(ErrorKind::kRetry,
                    "cannot lock " + path.string() + ": " + std::strerror(errno));
      }
      return Fail(ErrorKind::kFatal, "the store " + store.string() + " is in use by " +
                                         ReadHolder(file.get()) + "; only one agent may write it");
    }
    if (!SameFile(file.get(), path)) continue;  // removed by somebody between open and lock
    WriteHolder(file.get());
    return StoreLock(std::move(file));
  }
}

std::optional<std::string> StoreLock::Holder(const std::filesystem::path& store) {
  const UniqueFd file(::open(LockPath(store).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) return std::nullopt;
  struct flock lock = WholeFile();
  if (::fcntl(file.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return ReadHolder(file.get());
}

}  // namespace dra_health

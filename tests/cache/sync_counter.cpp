#include "tests/cache/sync_counter.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<int> sync_count{0};

}  // namespace

// In place of libc's, for SQLite's library too: symbols of the program come first.
extern "C" int fdatasync(int file) {
  ++sync_count;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

extern "C" int fsync(int file) {
  ++sync_count;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace dra_health {

int SyncCount() { return sync_count; }

}  // namespace dra_health

#pragma once

#include <filesystem>
#include <functional>
#include <set>

#include "base/unique_fd.h"

namespace dra_health {

// Tells that something in a set of folders may have changed, by inotify. Not what: whoever uses it
// looks again anyway, and so a queue that overflowed is just one more "something".
//
// Thread: one. Failure: without an inotify instance fd() is -1 and Drain() is always false.
class FolderWatch {
 public:
  using OpenInotify = std::function<int()>;  // as inotify_init1(2); a test has none left

  FolderWatch();
  explicit FolderWatch(OpenInotify open) : open_(std::move(open)) {}

  int fd() const { return inotify_.get(); }

  // Gets an instance where there is none yet; 0 or the errno.
  int Open();

  // A scan calls Add for each folder *before* it reads it, so that nothing falls in between, then
  // KeepAdded, which drops the watches of folders that were not seen again. 0 or the errno.
  int Add(const std::filesystem::path& folder);
  void KeepAdded();

  // Takes what has happened; true if anything has.
  bool Drain();

 private:
  OpenInotify open_;
  UniqueFd inotify_;
  std::set<int> kept_;
  std::set<int> added_;
};

}  // namespace dra_health

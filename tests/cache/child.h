#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace dra_health {

// A forked process that runs `work` with a pipe to the test, and is killed with the object.
// REQUIRES: this process has one thread.
class Child {
 public:
  explicit Child(const std::function<void(int pipe)>& work);
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), pipe_(std::move(other.pipe_)) {}
  ~Child() { Kill(); }

  pid_t pid() const { return pid_; }
  // Waits for that many bytes, or fewer if the child ends first.
  std::string Read(std::size_t size);
  // Everything up to the child's end.
  std::string ReadAll() { return Read(std::string::npos); }
  // SIGKILL, and waits until it has ended.
  void Kill();

 private:
  pid_t pid_ = -1;
  UniqueFd pipe_;
};

}  // namespace dra_health

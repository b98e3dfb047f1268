#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"

namespace dra_health {

// One writer a store: an open-file-description lock on `<file>.lock`, which the kernel gives back
// however the process ends, and which, unlike flock, can be asked about without taking it, so that
// a reader never gets in a starting agent's way. The lock file stays: removing it would let two
// processes lock two files of that name. Its content says who holds the lock, for messages only.
class StoreLock {
 public:
  // kFatal: held by another process. kRetry: the lock file cannot be opened or made.
  static Result<StoreLock> Acquire(const std::filesystem::path& store);

  // Who holds the lock ("process 12 on node-1"), or nothing when nobody does. Any process may ask.
  static std::optional<std::string> Holder(const std::filesystem::path& store);

 private:
  explicit StoreLock(UniqueFd file) : file_(std::move(file)) {}

  UniqueFd file_;
};

}  // namespace dra_health

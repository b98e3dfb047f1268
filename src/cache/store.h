#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/error.h"
#include "model/record.h"

namespace dra_health {

// The agent's memory: one SQLite file in WAL mode.
//
// Thread: the one that opened it, for everything.
// Ownership: holds an exclusive advisory lock beside the file for its whole life, so that two
// agents cannot write one store. Readers (store_reader.h) are never locked out. Failure: a batch is
// written whole or not at all; a failed Apply leaves the file as it was and the store usable: the
// caller may apply again.
class Store {
 public:
  virtual ~Store() = default;

  // Creates the file and its folder where missing and migrates older schemas, keeping history.
  // A file that is no database, is corrupt or has a newer schema is moved aside (its new name is in
  // `moved_aside`) and an empty one takes its place.
  // Errors: kFatal: another process holds the lock. kRetry: disk full, read-only, no permission.
  struct Opened {
    std::unique_ptr<Store> store;
    std::filesystem::path moved_aside;  // empty: nothing was
    std::string moved_why;
  };
  static Result<Opened> Open(const std::filesystem::path& path);

  virtual Result<StoredState> Load() = 0;

  // One transaction. Durable (fsync) when this returns, if the batch holds anything but an
  // AliveRecord.
  virtual Result<void> Apply(std::span<const StoreWrite> writes) = 0;

  // Removes transitions, ended allocations and deleted pods older than `before`.
  virtual Result<void> Prune(WallTime before) = 0;
};

}  // namespace dra_health

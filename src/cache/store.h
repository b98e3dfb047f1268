#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "model/record.h"

namespace dra_health {

// The agent's memory: one SQLite file in WAL mode.
//
// Thread: the one that opened it, for everything.
// Ownership: holds an exclusive advisory lock beside the file (`<file>.lock`) for its whole life,
// so that two agents cannot write one store. Readers (store_reader.h) are never locked out.
// Failure: a batch is written whole or not at all; a failed call leaves the file as it was. After
// kRetry the store is usable: the caller may try again. kItem says that this store is over: the
// file was found to be broken (and has been moved aside, if that was possible), or was deleted or
// replaced. Destroy the store and Open again. StoreKeeper (store_keeper.h) does all that.
class Store {
 public:
  virtual ~Store() = default;

  // Creates the file and its folder where missing and migrates older schemas, keeping history.
  // A file that is no database, is corrupt or has a newer schema is moved aside (its new name is in
  // `moved_aside`) and an empty one takes its place. Only what is cheap is checked here (header,
  // schema, all tables but the history), so that a large file opens fast.
  // Errors: kFatal: another process holds the lock, or the path is a folder or another program's
  // database. kRetry: disk full, read-only, no permission.
  struct Opened {
    std::unique_ptr<Store> store;
    std::filesystem::path moved_aside;  // empty: nothing was
    std::string moved_why;
  };
  static Result<Opened> Open(const std::filesystem::path& path);

  virtual Result<StoredState> Load() = 0;

  // One transaction. Durable (fsync) when this returns, if the batch holds history: a Transition,
  // or an allocation or its end.
  virtual Result<void> Apply(std::span<const StoreWrite> writes) = 0;

  // Removes transitions, ended allocations and deleted pods older than `before`, the oldest also
  // before their time while there is more than `max_bytes`, and gives the space back to the file
  // system. At most a bounded number of rows a call, so that the caller's loop is not held up:
  // called regularly, it catches up.
  virtual Result<void> Prune(WallTime before, std::size_t max_bytes) = 0;
};

}  // namespace dra_health

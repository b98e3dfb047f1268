#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "cache/record_writer.h"
#include "cache/sql.h"
#include "cache/store.h"
#include "cache/store_lock.h"

namespace dra_health {

class SqliteStore final : public Store {
 public:
  // REQUIRES: `database` is set up and has the newest schema.
  SqliteStore(std::filesystem::path path, StoreLock lock, sql::Database database,
              RecordWriter writer);

  Result<StoredState> Load() override;
  Result<void> Apply(std::span<const StoreWrite> writes) override;
  Result<void> Prune(WallTime before, std::size_t max_bytes) override;

 private:
  // In the order in which they must be closed, last first.
  struct Connection {
    sql::Database database;
    RecordWriter writer;
  };

  // Runs `work` if the file is still ours, and turns its failure into an Error.
  Result<void> Attempt(const char* what, const std::function<sql::Outcome<void>()>& work);
  // Closes, moves the file aside, and says so.
  tl::unexpected<Error> GiveUp(const std::string& why);
  sql::Outcome<void> MakeDurable(bool durable);

  std::filesystem::path path_;
  StoreLock lock_;
  std::unique_ptr<Connection> connection_;  // null once the file turned out to be broken
  std::optional<bool> durable_;             // what PRAGMA synchronous stands at
};

// Reads everything the agent needs at its start. Also the check that these tables are sound.
sql::Outcome<StoredState> LoadState(sql::Database& database);

}  // namespace dra_health

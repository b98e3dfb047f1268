#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>

#include "base/error.h"
#include "cache/sql.h"

namespace dra_health {

// A connection that only reads a store, whoever else has it open, and leaves no trace: no byte
// changed, no file made. One thread.
//
// SQLite's own read-only mode cannot do that: on a file in WAL mode it makes -wal and -shm and
// leaves them behind, and it needs a folder it may write to. So:
// - an agent runs (it holds the lock): its -wal and -shm are there; read beside it, with SQLite's
//   locks;
// - nobody runs, and a WAL was left behind by a crash or copied along: read file and WAL with a
//   private index in memory;
// - no WAL: read the file alone as immutable.
// The latter two take no locks, so an agent may start meanwhile. Files that changed while they were
// read give it away: the read is then repeated over a new connection.
class ReadConnection {
 public:
  // kFatal: no such file, not a store, or one of another version. kRetry: cannot be read now.
  static Result<ReadConnection> Open(const std::filesystem::path& path);

  // Runs `query` on one consistent state of the store. It may run several times: only the last
  // time's results count.
  Result<void> Read(const std::function<sql::Outcome<void>(sql::Database&)>& query);

  const std::filesystem::path& path() const { return path_; }

 private:
  // What tells a changed file from an unchanged one.
  using Stamp = std::array<std::int64_t, 4>;
  using Stamps = std::pair<Stamp, Stamp>;  // of the file and of its WAL
  static Stamp StampOf(const std::filesystem::path& file);
  static Stamps StampsOf(const std::filesystem::path& store);

  ReadConnection(std::filesystem::path path, sql::Database database, sql::Database::Mode mode,
                 Stamps stamps);
  static Result<ReadConnection> Connect(const std::filesystem::path& path);
  Result<void> CheckVersion();
  tl::unexpected<Error> Failed(const sql::Failure& failure) const;

  std::filesystem::path path_;
  sql::Database database_;
  sql::Database::Mode mode_;
  Stamps stamps_;  // from before the connection was opened
};

}  // namespace dra_health

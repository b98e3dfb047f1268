#include "cache/read_connection.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "cache/schema.h"
#include "cache/store_lock.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;
using Mode = sql::Database::Mode;

// By name only: opening and closing the file would drop the locks that a Store in this very process
// has on it (fcntl(2), POSIX locks).
Result<void> CheckFile(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return Fail(ErrorKind::kFatal, "there is no store " + path.string());
    return Fail(ErrorKind::kFatal,
                "cannot read the store " + path.string() + ": " + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return Fail(ErrorKind::kFatal, path.string() + " is not a store: it is not a regular file");
  }
  // SQLite would delete the WAL of an empty file, even when opened to read.
  if (status.st_size == 0) {
    return Fail(ErrorKind::kFatal, path.string() + " is not a store: it is empty");
  }
  return {};
}

Mode ChooseMode(const fs::path& path) {
  std::error_code ignored;
  const std::string wal = path.string() + "-wal";
  const bool shared_memory = fs::exists(path.string() + "-shm", ignored);
  if (StoreLock::Holder(path) && fs::exists(wal, ignored) && shared_memory) return Mode::kShared;
  const auto wal_size = fs::file_size(wal, ignored);
  return ignored || wal_size == 0 ? Mode::kImmutable : Mode::kPrivate;
}

// One transaction, so that all statements of a query see one state.
sql::Outcome<void> InTransaction(sql::Database& database,
                                 const std::function<sql::Outcome<void>(sql::Database&)>& query) {
  if (auto begun = database.Execute("BEGIN"); !begun) return begun;
  auto done = query(database);
  const auto ended = database.Execute("ROLLBACK");
  return done ? ended : done;
}

}  // namespace

ReadConnection::ReadConnection(fs::path path, sql::Database database, Mode mode, Stamps stamps)
    : path_(std::move(path)),
      database_(std::move(database)),
      mode_(mode),
      stamps_(std::move(stamps)) {}

ReadConnection::Stamp ReadConnection::StampOf(const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {static_cast<std::int64_t>(status.st_ino), status.st_size, status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

ReadConnection::Stamps ReadConnection::StampsOf(const fs::path& store) {
  return {StampOf(store), StampOf(store.string() + "-wal")};
}

Result<ReadConnection> ReadConnection::Open(const fs::path& given) {
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(given, ignored);
  return Connect(ignored ? given : path).and_then([](ReadConnection connection) {
    return connection.CheckVersion().map([&] { return std::move(connection); });
  });
}

Result<ReadConnection> ReadConnection::Connect(const fs::path& path) {
  if (auto checked = CheckFile(path); !checked) return tl::unexpected(checked.error());
  const Stamps stamps = StampsOf(path);
  const Mode mode = ChooseMode(path);
  auto database = sql::Database::Open(path.string(), mode);
  if (!database) {
    return Fail(ErrorKind::kRetry,
                "cannot open the store " + path.string() + ": " + database.error().text);
  }
  return ReadConnection(path, std::move(*database), mode, stamps);
}

Result<void> ReadConnection::CheckVersion() {
  std::int64_t origin = 0;
  std::int64_t version = 0;
  auto read = Read([&](sql::Database& database) {
    return database.Integer("PRAGMA application_id")
        .and_then([&](std::int64_t value) {
          origin = value;
          return database.Integer("PRAGMA user_version");
        })
        .and_then([&](std::int64_t value) {
          version = value;
          return database.Integer("SELECT count(*) FROM sqlite_schema");
        })
        .map([](std::int64_t) {});
  });
  if (!read) return read;
  if (origin != schema::kApplicationId) {
    return Fail(ErrorKind::kFatal, path_.string() + " is not a store of dra-health-agent");
  }
  const std::string versions = path_.string() + " has schema version " + std::to_string(version) +
                               ", this program reads " + std::to_string(schema::NewestVersion());
  if (version > schema::NewestVersion()) {
    return Fail(ErrorKind::kFatal,
                versions + ": use the dra-health-agent that wrote it, or a newer one");
  }
  if (version < schema::NewestVersion()) {
    return Fail(ErrorKind::kFatal, versions + ": an agent of this version brings it up to date");
  }
  return {};
}

Result<void> ReadConnection::Read(const std::function<sql::Outcome<void>(sql::Database&)>& query) {
  constexpr int kAttempts = 5;  // more than an agent's start and first writes can spoil
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto done = InTransaction(database_, query);
    if (mode_ == Mode::kShared || StampsOf(path_) == stamps_) {
      if (done) return {};
      return Failed(done.error());
    }
    auto again = Connect(path_);
    if (!again) return tl::unexpected(again.error());
    *this = std::move(*again);
  }
  return Fail(ErrorKind::kRetry,
              "the store " + path_.string() + " kept changing while it was read; try again");
}

tl::unexpected<Error> ReadConnection::Failed(const sql::Failure& failure) const {
  if (failure.not_a_database()) {
    return Fail(ErrorKind::kFatal, path_.string() + " is not a store: it is no SQLite database");
  }
  if (failure.broken()) {
    return Fail(ErrorKind::kFatal, "the store " + path_.string() + " is broken: " + failure.text);
  }
  return Fail(ErrorKind::kRetry, "cannot read the store " + path_.string() + ": " + failure.text);
}

}  // namespace dra_health

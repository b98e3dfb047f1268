#include <system_error>

#include "base/text.h"
#include "cache/broken_file.h"
#include "cache/schema.h"
#include "cache/sqlite_store.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;

// Why a file could not become a store.
struct Refusal {
  enum class Kind { kReplace, kPassing, kNotOurs } kind = Kind::kPassing;
  std::string why;
};

template <typename T>
using Accepted = tl::expected<T, Refusal>;

Refusal Judge(const sql::Failure& failure) {
  return {failure.broken() ? Refusal::Kind::kReplace : Refusal::Kind::kPassing, failure.text};
}

// A refused WAL mode is no error to SQLite.
Accepted<void> SetUp(sql::Database& database) {
  const auto pages = database.Integer("PRAGMA page_count");
  if (!pages) return tl::unexpected(Judge(pages.error()));
  if (*pages == 0) {
    // Lets Prune give space back; only a new file can have it.
    auto set = database.Execute("PRAGMA auto_vacuum = INCREMENTAL");
    if (!set) return tl::unexpected(Judge(set.error()));
  }
  if (database.read_only()) {
    return tl::unexpected(
        Refusal{Refusal::Kind::kReplace, "its header asks for a newer SQLite to write it"});
  }
  const auto mode = database.Text("PRAGMA journal_mode = WAL");
  if (!mode) return tl::unexpected(Judge(mode.error()));
  if (*mode != "wal") {
    return tl::unexpected(Refusal{Refusal::Kind::kPassing,
                                  "the file system cannot carry a WAL (mode " + *mode + ")"});
  }
  // A WAL that one large batch has blown up shrinks again.
  return database.Execute("PRAGMA journal_size_limit = 4194304; PRAGMA cache_size = -512")
      .map_error(Judge);
}

// Of statements that only a damaged schema, or one that is not what its version says, refuses.
Refusal JudgeSchema(const sql::Failure& failure) {
  constexpr int kGenericError = 1;  // SQLITE_ERROR: no such table, or one that is there already
  // SQLITE_NOMEM: a damaged row of the schema asks for terabytes. To the little that a sound file
  // needs Linux does not say no.
  constexpr int kNoMemory = 7;
  Refusal refusal = Judge(failure);
  if (failure.code == kGenericError || failure.code == kNoMemory) {
    refusal.kind = Refusal::Kind::kReplace;
  }
  return refusal;
}

// Before anything is changed in the file: is it ours, and can this program use it?
Accepted<void> CheckOrigin(sql::Database& database) {
  const auto version = database.Integer("PRAGMA user_version");
  if (!version) return tl::unexpected(JudgeSchema(version.error()));
  const auto origin = database.Integer("PRAGMA application_id");
  if (!origin) return tl::unexpected(JudgeSchema(origin.error()));
  const auto tables = database.Integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tl::unexpected(JudgeSchema(tables.error()));
  if (*origin != schema::kApplicationId && *tables > 0) {
    return tl::unexpected(Refusal{Refusal::Kind::kNotOurs, "is another program's database"});
  }
  if (*version > schema::NewestVersion() || *version < 0) {
    return tl::unexpected(
        Refusal{Refusal::Kind::kReplace, "schema version " + std::to_string(*version) +
                                             ", this program knows up to " +
                                             std::to_string(schema::NewestVersion())});
  }
  return {};
}

// Reading alone does not tell: a row that ends beyond its page is read as one of nothing but NULL.
Accepted<void> CheckRows(sql::Database& database) {
  for (const char* table :
       {"alive", "device_names", "devices", "drivers", "pods", "allocations", "differences"}) {
    const auto found = database.Text(std::string("PRAGMA integrity_check(") + table + ")");
    if (!found) return tl::unexpected(JudgeSchema(found.error()));
    if (*found != "ok") {
      return tl::unexpected(
          Refusal{Refusal::Kind::kReplace, std::string(table) + ": " + Printable(*found)});
    }
  }
  return {};
}

// A file of ours whose tables do not answer these was damaged in its schema.
Accepted<RecordWriter> CheckTables(sql::Database& database) {
  auto writer = RecordWriter::Prepare(database).map_error(JudgeSchema);
  if (!writer) return writer;
  const auto ends = database.Integer(
      "SELECT (SELECT max(id) FROM transitions) + (SELECT max(at_ms) FROM transitions)");
  if (!ends) return tl::unexpected(JudgeSchema(ends.error()));
  const auto state = LoadState(database);
  if (!state) return tl::unexpected(JudgeSchema(state.error()));
  return writer;
}

struct Usable {
  sql::Database database;
  RecordWriter writer;
};

Accepted<Usable> OpenFile(const fs::path& path) {
  auto database = sql::Database::Open(path.string(), sql::Database::Mode::kWrite);
  if (!database) return tl::unexpected(Judge(database.error()));
  if (database->read_only()) {  // so far SQLite has not looked into the file
    return tl::unexpected(Refusal{Refusal::Kind::kPassing, "the file is read-only"});
  }
  return CheckOrigin(*database)
      .and_then([&] { return SetUp(*database); })
      .and_then(
          [&] { return schema::Migrate(*database, schema::Migrations()).map_error(JudgeSchema); })
      .and_then([&] { return CheckRows(*database); })
      .and_then([&] { return CheckTables(*database); })
      .map([&](RecordWriter writer) { return Usable{std::move(*database), std::move(writer)}; });
}

tl::unexpected<Error> Refused(const fs::path& path, const Refusal& refusal) {
  if (refusal.kind == Refusal::Kind::kNotOurs) {
    return Fail(ErrorKind::kFatal, path.string() + " " + refusal.why);
  }
  return Fail(ErrorKind::kRetry, "cannot open the store " + path.string() + ": " + refusal.why);
}

// Symbolic links are followed here, so that lock, WAL and a file moved aside stand beside the file.
Result<fs::path> Prepare(const fs::path& given) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(given, error);
  if (error) {
    return Fail(ErrorKind::kRetry,
                "cannot open the store " + given.string() + ": " + error.message());
  }
  if (fs::is_directory(path, error)) {
    return Fail(ErrorKind::kFatal, "the store " + path.string() + " is a folder, not a file");
  }
  if (path.has_parent_path()) {
    error.clear();
    fs::create_directories(path.parent_path(), error);
    if (error) {
      return Fail(ErrorKind::kRetry,
                  "cannot make the folder " + path.parent_path().string() + ": " + error.message());
    }
  }
  return path;
}

}  // namespace

Result<Store::Opened> Store::Open(const fs::path& given) {
  const auto path = Prepare(given);
  if (!path) return tl::unexpected(path.error());
  auto lock = StoreLock::Acquire(*path);
  if (!lock) return tl::unexpected(lock.error());

  Opened opened;
  auto usable = OpenFile(*path);
  if (!usable && usable.error().kind == Refusal::Kind::kReplace) {
    opened.moved_why = usable.error().why;
    auto moved = MoveAside(*path);
    if (!moved) return tl::unexpected(moved.error());
    opened.moved_aside = std::move(*moved);
    usable = OpenFile(*path);
  }
  if (!usable) return Refused(*path, usable.error());
  opened.store = std::make_unique<SqliteStore>(*path, std::move(*lock), std::move(usable->database),
                                               std::move(usable->writer));
  return opened;
}

}  // namespace dra_health

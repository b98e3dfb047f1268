#include "cache/sql.h"

#include <sqlite3.h>

#include <cstring>
#include <utility>

#include "base/text.h"

namespace dra_health::sql {
namespace {

// Longer than any transaction of ours, shorter than anybody's patience.
constexpr int kBusyMilliseconds = 2000;

Failure Describe(sqlite3* database, int code) {
  if (database == nullptr) return {code, sqlite3_errstr(code)};
  // The message may quote what a damaged file holds.
  Failure failure{sqlite3_extended_errcode(database), Printable(sqlite3_errmsg(database))};
  const int primary = failure.code & 0xff;
  const int cause = sqlite3_system_errno(database);
  if (cause != 0 && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN)) {
    failure.text += std::string(": ") + std::strerror(cause);
  }
  return failure;
}

// SQLite's URI form; these three characters would end or change the path.
std::string Uri(const std::string& path, std::string_view query) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%') {
      uri += "%25";
    } else if (c == '?') {
      uri += "%3f";
    } else if (c == '#') {
      uri += "%23";
    } else {
      uri += c;
    }
  }
  return uri.append(query);
}

int OpenHandle(const std::string& path, Database::Mode mode, sqlite3** handle) {
  constexpr int kCommon = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  const int access = mode == Database::Mode::kWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                    : SQLITE_OPEN_READONLY;
  const bool immutable = mode == Database::Mode::kImmutable;
  const std::string uri = Uri(path, immutable ? "?immutable=1" : "");
  // "unix-none" takes no locks: an exclusive one is needed below, which a read-only descriptor
  // cannot take.
  const char* vfs = mode == Database::Mode::kPrivate ? "unix-none" : nullptr;
  return sqlite3_open_v2(uri.c_str(), handle, kCommon | access, vfs);
}

}  // namespace

bool Failure::broken() const {
  const int primary = code & 0xff;
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_CONSTRAINT ||
         primary == SQLITE_TOOBIG;
}

bool Failure::not_a_database() const { return (code & 0xff) == SQLITE_NOTADB; }

bool Row::NextIsNull() const { return sqlite3_column_type(statement_, column_) == SQLITE_NULL; }

std::string Row::Text() {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column_));
  const int size = sqlite3_column_bytes(statement_, column_++);
  return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(size));
}

std::int64_t Row::Integer() { return sqlite3_column_int64(statement_, column_++); }

std::optional<std::string> Row::OptionalText() {
  if (!NextIsNull()) return Text();
  ++column_;
  return std::nullopt;
}

std::optional<WallTime> Row::OptionalTime() {
  if (!NextIsNull()) return Time();
  ++column_;
  return std::nullopt;
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::Bind(int index, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may have one.
  const char* data = text.empty() ? "" : text.data();
  const int code =
      sqlite3_bind_text64(statement_.get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) bind_code_ = code;
}

void Statement::BindInteger(int index, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), index, value);
  if (code != SQLITE_OK) bind_code_ = code;
}

Outcome<bool> Statement::Step() {
  sqlite3* database = sqlite3_db_handle(statement_.get());
  if (bind_code_ != SQLITE_OK) return tl::unexpected(Describe(database, bind_code_));
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected(Describe(database, code));
}

void Statement::Reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bind_code_ = SQLITE_OK;
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Outcome<Database> Database::Open(const std::string& path, Mode mode) {
  sqlite3* handle = nullptr;
  const int code = OpenHandle(path, mode, &handle);
  Database database(handle);  // a handle comes back with most errors too
  if (code != SQLITE_OK) return tl::unexpected(Describe(handle, code));
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // No file of ours has any; in one that was tampered with they could run for ever.
  for (const int code_in_file : {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                                 SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
    sqlite3_db_config(handle, code_in_file, 0, nullptr);
  }
  database.CheckpointOnClose(false);
  if (mode == Mode::kPrivate) {
    // In this mode the WAL's index lives on the heap, and no -shm file is made.
    const auto exclusive = database.Execute("PRAGMA locking_mode = EXCLUSIVE");
    if (!exclusive) return tl::unexpected(exclusive.error());
  }
  return database;
}

Outcome<Statement> Database::Prepare(std::string_view text) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), text.data(), static_cast<int>(text.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(Describe(database_.get(), code));
  return Statement(statement);
}

Outcome<void> Database::Execute(const char* script) {
  const int code = sqlite3_exec(database_.get(), script, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(Describe(database_.get(), code));
  return {};
}

Outcome<std::int64_t> Database::Integer(std::string_view query) {
  std::int64_t value = 0;
  return Prepare(query)
      .and_then([&](Statement statement) {
        return statement.Each([&](Row& row) { value = row.Integer(); });
      })
      .map([&] { return value; });
}

Outcome<std::string> Database::Text(std::string_view query) {
  std::string value;
  return Prepare(query)
      .and_then([&](Statement statement) {
        return statement.Each([&](Row& row) { value = row.Text(); });
      })
      .map([&] { return value; });
}

void Database::CheckpointOnClose(bool wanted) {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
}

bool Database::read_only() const { return sqlite3_db_readonly(database_.get(), "main") == 1; }

bool Database::in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

bool Database::moved() const {
  int moved = 0;
  sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

Outcome<Transaction> Transaction::Begin(Database& database) {
  return database.Execute("BEGIN IMMEDIATE").map([&] { return Transaction(database); });
}

Transaction::~Transaction() {
  // Some errors (disk full, I/O) have rolled back already.
  if (database_ != nullptr && database_->in_transaction()) {
    static_cast<void>(database_->Execute("ROLLBACK"));
  }
}

Outcome<void> Transaction::Commit() {
  auto committed = database_->Execute("COMMIT");
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace dra_health::sql

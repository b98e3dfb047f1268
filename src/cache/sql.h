#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <tl/expected.hpp>

#include "base/clock.h"

struct sqlite3;
struct sqlite3_stmt;

// The few parts of SQLite this module uses, as types. One thread per database; nothing here throws.
namespace dra_health::sql {

struct Failure {
  int code = 0;      // SQLite's extended result code, 0 where the failure is not SQLite's
  std::string text;  // copied at once: sqlite3_errmsg changes with the next call

  // The file's content is to blame, so trying again cannot help. A violated constraint is among
  // these: no write of this module violates one as long as the indexes are sound; and so is a row
  // that claims to be larger than SQLite's limit of a gigabyte.
  bool broken() const;
  bool not_a_database() const;
};

template <typename T>
using Outcome = tl::expected<T, Failure>;

using Value = std::variant<std::int64_t, std::string>;

// The current row of a statement, read from its first column on: each call takes the next column.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  std::string Text();
  std::int64_t Integer();
  WallTime Time() { return WallTime{std::chrono::milliseconds{Integer()}}; }
  std::optional<std::string> OptionalText();
  std::optional<WallTime> OptionalTime();

 private:
  bool NextIsNull() const;

  sqlite3_stmt* statement_;
  int column_ = 0;
};

// A prepared statement. Every use leaves it reset: an open read would keep the WAL from being
// checkpointed. Text arguments are not copied; they must live as long as the call.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  template <typename... Args>
  Outcome<void> Run(const Args&... args) {
    return Each([](Row&) {}, args...);
  }

  // Calls `visit` with each row.
  template <typename Visit, typename... Args>
  Outcome<void> Each(Visit&& visit, const Args&... args) {
    const Resetting resetting(*this);
    BindAll(std::index_sequence_for<Args...>(), args...);
    return StepAll(visit);
  }

  template <typename Visit>
  Outcome<void> EachOf(std::span<const Value> values, Visit&& visit) {
    const Resetting resetting(*this);
    int index = 0;
    for (const Value& value : values) {
      ++index;
      std::visit([&](const auto& held) { Bind(index, held); }, value);
    }
    return StepAll(visit);
  }

 private:
  class Resetting {
   public:
    explicit Resetting(Statement& statement) : statement_(statement) {}
    ~Resetting() { statement_.Reset(); }
    Resetting(const Resetting&) = delete;
    Resetting& operator=(const Resetting&) = delete;

   private:
    Statement& statement_;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  template <typename Visit>
  Outcome<void> StepAll(Visit& visit) {
    for (;;) {
      const Outcome<bool> has_row = Step();
      if (!has_row) return tl::unexpected(has_row.error());
      if (!*has_row) return {};
      Row row(statement_.get());
      visit(row);
    }
  }

  template <std::size_t... Indexes, typename... Args>
  void BindAll(std::index_sequence<Indexes...>, const Args&... args) {
    (Bind(static_cast<int>(Indexes) + 1, args), ...);
  }
  template <typename T>
    requires std::is_integral_v<T>
  void Bind(int index, T value) {
    BindInteger(index, static_cast<std::int64_t>(value));
  }
  void Bind(int index, std::string_view text);
  void Bind(int index, WallTime time) { BindInteger(index, time.time_since_epoch().count()); }
  template <typename T>
  void Bind(int index, const std::optional<T>& value) {
    if (value) Bind(index, *value);  // unbound parameters are NULL
  }
  void BindInteger(int index, std::int64_t value);
  Outcome<bool> Step();
  void Reset();

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_code_ = 0;
};

class Database {
 public:
  enum class Mode {
    kWrite,      // creates the file where there is none
    kShared,     // reads beside a living writer
    kPrivate,    // reads the file and its WAL without locks and without -shm; nobody may write
    kImmutable,  // reads the file alone, without locks; nobody may write
  };
  static Outcome<Database> Open(const std::string& path, Mode mode);

  Outcome<Statement> Prepare(std::string_view text);
  Outcome<void> Execute(const char* script);
  // The first column of the first row, 0 where there is none.
  Outcome<std::int64_t> Integer(std::string_view query);
  Outcome<std::string> Text(std::string_view query);

  // Whether closing folds the WAL into the file, which changes it. Not before it is asked for.
  void CheckpointOnClose(bool wanted);

  bool read_only() const;
  bool in_transaction() const;
  // The file at the path is no longer the open one: deleted, renamed or replaced.
  bool moved() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

// BEGIN IMMEDIATE: a deferred transaction that reads first fails when it comes to write, without
// waiting for the busy timeout. Rolls back unless committed.
class Transaction {
 public:
  static Outcome<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Outcome<void> Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // null once committed
};

}  // namespace dra_health::sql

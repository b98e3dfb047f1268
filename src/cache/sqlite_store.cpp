#include "cache/sqlite_store.h"

#include <algorithm>

#include "cache/broken_file.h"
#include "cache/rows.h"

namespace dra_health {
namespace {

// Some 50 ms of work.
constexpr std::int64_t kPrunedTransitions = 10'000;

constexpr const char* kPruneTransitions =
    "DELETE FROM transitions WHERE id IN"
    " (SELECT id FROM transitions WHERE at_ms < ? ORDER BY at_ms LIMIT ?)";
// Allocations that were never ended go with their pod.
constexpr const char* kPruneAllocations =
    "DELETE FROM allocations WHERE until_ms < ?1"
    " OR pod_uid IN (SELECT uid FROM pods WHERE deleted_ms < ?1)";
constexpr const char* kPruneOrphans =
    "DELETE FROM allocations WHERE pod_uid NOT IN (SELECT uid FROM pods)";
constexpr const char* kPruneOrphanRuns =
    "DELETE FROM containers WHERE pod_uid NOT IN (SELECT uid FROM pods)";
constexpr const char* kPruneDifferences =
    "DELETE FROM differences WHERE pod_uid NOT IN (SELECT uid FROM pods WHERE deleted_ms IS NULL)";
// Of a pod that is there the last runs stay: its status tells of them, and they would be written
// again.
constexpr const char* kPruneContainers =
    "DELETE FROM containers WHERE pod_uid IN (SELECT uid FROM pods WHERE deleted_ms < ?1)"
    " OR ended_ms < ?1 AND restart < (SELECT max(n.restart) - 1 FROM containers n"
    "  WHERE n.pod_uid = containers.pod_uid AND n.container = containers.container)";
constexpr const char* kPruneAbsences = "DELETE FROM absences WHERE until_ms < ?";
constexpr const char* kPrunePods = "DELETE FROM pods WHERE deleted_ms < ?";
constexpr const char* kPruneNames =
    "DELETE FROM device_names WHERE"
    " NOT EXISTS (SELECT 1 FROM devices d WHERE d.device_id = device_names.id)"
    " AND NOT EXISTS (SELECT 1 FROM allocations a WHERE a.device_id = device_names.id)"
    " AND NOT EXISTS (SELECT 1 FROM transitions t WHERE t.device_id = device_names.id)";

constexpr const char* kLastRunsOfPresentPods =
    " WHERE c.pod_uid IN (SELECT uid FROM pods WHERE deleted_ms IS NULL)"
    " AND c.restart >= (SELECT max(n.restart) - 1 FROM containers n"
    "  WHERE n.pod_uid = c.pod_uid AND n.container = c.container)";

// What must not be lost once it was published or happened. The rest (signs of life, how a
// publication stands) can be read again, and must not cost a sync for each patch that was answered.
bool HoldsHistory(std::span<const StoreWrite> writes) {
  return std::ranges::any_of(writes, [](const StoreWrite& write) {
    return std::holds_alternative<Transition>(write) ||
           std::holds_alternative<AllocationRecord>(write) ||
           std::holds_alternative<EndAllocations>(write) ||
           std::holds_alternative<ContainerRecord>(write);
  });
}

template <typename... Args>
sql::Outcome<void> RunOnce(sql::Database& database, const char* text, const Args&... args) {
  return database.Prepare(text).and_then(
      [&](sql::Statement statement) { return statement.Run(args...); });
}

constexpr const char* kUsedBytes =
    "SELECT (page_count - freelist_count) * page_size"
    " FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
constexpr const char* kDropOldestTransitions =
    "DELETE FROM transitions WHERE id IN (SELECT id FROM transitions ORDER BY at_ms LIMIT ?)";
constexpr const char* kDropOldestPods =
    "DELETE FROM pods WHERE uid IN"
    " (SELECT uid FROM pods WHERE deleted_ms IS NOT NULL ORDER BY deleted_ms LIMIT ?)";
constexpr std::int64_t kDroppedPods = 100;
// Each about 50 ms of work; more is written between two prunings only by a flood.
constexpr int kDropRounds = 10;

// History goes, the present stays, however large it is.
sql::Outcome<void> PruneToSize(sql::Database& database, std::int64_t max_bytes) {
  for (int round = 0; round < kDropRounds; ++round) {
    const auto used = database.Integer(kUsedBytes);
    if (!used) return tl::unexpected(used.error());
    if (*used <= max_bytes) break;
    auto transaction = sql::Transaction::Begin(database);
    if (!transaction) return tl::unexpected(transaction.error());
    auto done = RunOnce(database, kDropOldestTransitions, kPrunedTransitions)
                    .and_then([&] { return RunOnce(database, kDropOldestPods, kDroppedPods); })
                    .and_then([&] { return RunOnce(database, kPruneOrphans); })
                    .and_then([&] { return RunOnce(database, kPruneOrphanRuns); })
                    .and_then([&] { return RunOnce(database, kPruneNames); })
                    .and_then([&] { return transaction->Commit(); });
    if (!done) return done;
  }
  return {};
}

sql::Outcome<void> PruneRows(sql::Database& database, WallTime before) {
  auto transaction = sql::Transaction::Begin(database);
  if (!transaction) return tl::unexpected(transaction.error());
  return RunOnce(database, kPruneTransitions, before, kPrunedTransitions)
      .and_then([&] { return RunOnce(database, kPruneAllocations, before); })
      .and_then([&] { return RunOnce(database, kPruneContainers, before); })
      .and_then([&] { return RunOnce(database, kPruneAbsences, before); })
      .and_then([&] { return RunOnce(database, kPrunePods, before); })
      .and_then([&] { return RunOnce(database, kPruneDifferences); })
      .and_then([&] { return RunOnce(database, kPruneNames); })
      .and_then([&] { return transaction->Commit(); });
}

}  // namespace

SqliteStore::SqliteStore(std::filesystem::path path, StoreLock lock, sql::Database database,
                         RecordWriter writer)
    : path_(std::move(path)), lock_(std::move(lock)) {
  connection_ = std::make_unique<Connection>(Connection{std::move(database), std::move(writer)});
  connection_->database.CheckpointOnClose(true);
}

Result<StoredState> SqliteStore::Load() {
  StoredState state;
  return Attempt("read",
                 [&] {
                   return LoadState(connection_->database).map([&](StoredState loaded) {
                     state = std::move(loaded);
                   });
                 })
      .map([&] { return std::move(state); });
}

Result<void> SqliteStore::Apply(std::span<const StoreWrite> writes) {
  if (writes.empty()) return {};
  return Attempt("write", [&]() -> sql::Outcome<void> {
    if (auto set = MakeDurable(HoldsHistory(writes)); !set) return set;
    auto transaction = sql::Transaction::Begin(connection_->database);
    if (!transaction) return tl::unexpected(transaction.error());
    for (const StoreWrite& write : writes) {
      if (auto written = std::visit(connection_->writer, write); !written) return written;
    }
    return transaction->Commit();
  });
}

Result<void> SqliteStore::Prune(WallTime before, std::size_t max_bytes) {
  return Attempt("prune", [&] {
    sql::Database& database = connection_->database;
    return PruneRows(database, before)
        .and_then([&] { return PruneToSize(database, static_cast<std::int64_t>(max_bytes)); })
        .and_then([&] { return RunOnce(connection_->database, "PRAGMA incremental_vacuum"); });
  });
}

// FULL syncs the WAL at every commit, NORMAL only before a checkpoint: a commit may then be undone
// by a power failure, but never torn. The pragma is ignored inside a transaction.
sql::Outcome<void> SqliteStore::MakeDurable(bool durable) {
  if (durable_ == durable) return {};
  return connection_->database
      .Execute(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
      .map([&] { durable_ = durable; });
}

Result<void> SqliteStore::Attempt(const char* what,
                                  const std::function<sql::Outcome<void>()>& work) {
  if (!connection_) return Fail(ErrorKind::kItem, "the store " + path_.string() + " was closed");
  if (connection_->database.moved()) {
    return Fail(ErrorKind::kItem, "the store " + path_.string() + " was deleted or replaced");
  }
  const auto done = work();
  if (done) return {};
  if (done.error().broken()) return GiveUp(done.error().text);
  return Fail(ErrorKind::kRetry, std::string("cannot ") + what + " the store " + path_.string() +
                                     ": " + done.error().text);
}

tl::unexpected<Error> SqliteStore::GiveUp(const std::string& why) {
  connection_->database.CheckpointOnClose(false);  // the file is evidence now
  connection_.reset();
  const auto moved = MoveAside(path_);
  return Fail(ErrorKind::kItem,
              "the store " + path_.string() + " is broken (" + why + "); " +
                  (moved ? "moved aside as " + moved->string() : moved.error().message));
}

sql::Outcome<StoredState> LoadState(sql::Database& database) {
  StoredState state;
  const auto read = [&](const std::string& query, auto visit) {
    return database.Prepare(query).and_then(
        [&](sql::Statement statement) { return statement.Each(visit); });
  };
  return read(rows::kAlive, [&](sql::Row& row) { state.alive = rows::ReadAlive(row); })
      .and_then([&] {
        return read(rows::kDevices,
                    [&](sql::Row& row) { state.devices.push_back(rows::ReadDevice(row)); });
      })
      .and_then([&] {
        return read(rows::kDrivers,
                    [&](sql::Row& row) { state.drivers.push_back(rows::ReadDriver(row)); });
      })
      .and_then([&] {
        return read(std::string(rows::kPods) + " WHERE p.deleted_ms IS NULL",
                    [&](sql::Row& row) { state.pods.push_back(rows::ReadPod(row)); });
      })
      .and_then([&] {
        return read(std::string(rows::kAllocations) + " WHERE a.until_ms IS NULL",
                    [&](sql::Row& row) { state.allocations.push_back(rows::ReadAllocation(row)); });
      })
      .and_then([&] {
        return read(rows::kCdiIds,
                    [&](sql::Row& row) { state.cdi_ids.push_back(rows::ReadCdiId(row)); });
      })
      .and_then([&] {
        return read(std::string(rows::kContainers) + kLastRunsOfPresentPods,
                    [&](sql::Row& row) { state.containers.push_back(rows::ReadContainer(row)); });
      })
      .map([&] { return std::move(state); });
}

}  // namespace dra_health

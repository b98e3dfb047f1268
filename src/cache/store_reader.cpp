#include "cache/store_reader.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <type_traits>

#include "cache/history_query.h"
#include "cache/read_connection.h"
#include "cache/rows.h"
#include "cache/store_lock.h"
#include "cache/store_query.h"

namespace dra_health {
namespace {

// `read` turns each row that `query` finds into an element of `into`.
template <typename T>
sql::Outcome<void> Collect(sql::Database& database, const Query& query, T (*read)(sql::Row&),
                           std::vector<T>& into) {
  into.clear();
  return query.Run(database, [&](sql::Row& row) { into.push_back(read(row)); });
}

// What `read` answers, as one Result.
template <typename Read>
auto ReadOne(ReadConnection& connection, const Read& read) {
  using Answer = typename std::invoke_result_t<Read, sql::Database&>::value_type;
  Answer answer;
  return connection
      .Read([&](sql::Database& database) {
        return read(database).map([&](Answer found) { answer = std::move(found); });
      })
      .map([&] { return std::move(answer); });
}

std::uintmax_t SizeOf(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

// Visits all rows of one small table.
template <typename T>
Result<bool> VisitTable(ReadConnection& connection, const char* query, T (*read)(sql::Row&),
                        const std::function<bool(const StoredRecord&)>& visit) {
  std::vector<T> rows;
  return connection
      .Read([&](sql::Database& database) { return Collect(database, Query(query), read, rows); })
      .map([&] { return std::ranges::all_of(rows, visit); });
}

Result<bool> VisitTransitions(ReadConnection& connection,
                              const std::function<bool(const StoredRecord&)>& visit) {
  constexpr std::int64_t kPage = 1000;
  std::int64_t last_id = 0;
  for (;;) {
    std::vector<Transition> page;
    std::int64_t page_end = last_id;
    Query query(rows::kTransitions);
    query.Where("t.id > ?", {last_id}).Then(" ORDER BY t.id LIMIT ?", {kPage});
    const auto read = connection.Read([&](sql::Database& database) {
      page.clear();
      return query.Run(database, [&](sql::Row& row) {
        page.push_back(rows::ReadTransition(row));
        page_end = row.Integer();
      });
    });
    if (!read) return tl::unexpected(read.error());
    if (!std::ranges::all_of(page, visit)) return false;
    if (page.empty()) return true;
    if (page_end <= last_id) {
      // The pages of a damaged table may lead back to each other.
      return Fail(ErrorKind::kFatal, "the store " + connection.path().string() +
                                         " is broken: its history is out of order");
    }
    last_id = page_end;
  }
}

DifferenceView ReadDifferenceView(sql::Row& row) {
  DifferenceView view;
  view.difference = rows::ReadDifference(row);
  view.since = row.Time();
  view.pod_uid = row.Text();
  view.namespace_name = row.Text();
  view.pod_name = row.Text();
  return view;
}

sql::Outcome<void> ReadInfo(sql::Database& database, StoreInfo& info) {
  return Query("PRAGMA user_version")
      .Run(database, [&](sql::Row& row) { info.schema_version = row.Integer(); })
      .and_then([&] {
        return Query(
                   "SELECT (SELECT count(*) FROM devices), (SELECT count(*) FROM drivers),"
                   " (SELECT count(*) FROM pods), (SELECT count(*) FROM allocations),"
                   " (SELECT count(*) FROM containers), (SELECT count(*) FROM transitions), "
                   "(SELECT min(at_ms) FROM transitions),"
                   " (SELECT max(at_ms) FROM transitions)")
            .Run(database, [&](sql::Row& row) {
              info.devices = row.Integer();
              info.drivers = row.Integer();
              info.pods = row.Integer();
              info.allocations = row.Integer();
              info.containers = row.Integer();
              info.transitions = row.Integer();
              info.oldest_transition = row.OptionalTime();
              info.newest_transition = row.OptionalTime();
            });
      })
      .and_then([&] {
        return Query(rows::kAlive).Run(database, [&](sql::Row& row) {
          info.alive = rows::ReadAlive(row);
        });
      });
}

}  // namespace

StoreReader::StoreReader(std::unique_ptr<ReadConnection> connection)
    : connection_(std::move(connection)) {}
StoreReader::StoreReader(StoreReader&&) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&&) noexcept = default;
StoreReader::~StoreReader() = default;

Result<StoreReader> StoreReader::Open(const std::filesystem::path& path) {
  return ReadConnection::Open(path).map([](ReadConnection connection) {
    return StoreReader(std::make_unique<ReadConnection>(std::move(connection)));
  });
}

Result<std::vector<DeviceView>> StoreReader::Devices(const StoreFilter& filter) {
  std::vector<DeviceRecord> records;
  std::map<DeviceKey, DeviceView> holders;
  const auto read = connection_->Read([&](sql::Database& database) {
    holders.clear();
    return Collect(database, query::Devices(filter), rows::ReadDevice, records).and_then([&] {
      return query::HoldersOfDevices().Run(database, [&](sql::Row& row) {
        DeviceView& device = holders[rows::ReadKey(row)];
        const std::string namespace_name = row.Text();
        const std::string pod = namespace_name + "/" + row.Text();
        (row.OptionalTime() ? device.ended_pods : device.pods).push_back(pod);
      });
    });
  });
  if (!read) return tl::unexpected(read.error());
  std::vector<DeviceView> views;
  views.reserve(records.size());
  for (DeviceRecord& record : records) {
    DeviceView& view = views.emplace_back(std::move(holders[record.key]));
    view.record = std::move(record);
  }
  return views;
}

Result<std::vector<DriverRecord>> StoreReader::Drivers(const StoreFilter& filter) {
  std::vector<DriverRecord> records;
  return connection_
      ->Read([&](sql::Database& database) {
        return Collect(database, query::Drivers(filter), rows::ReadDriver, records);
      })
      .map([&] { return std::move(records); });
}

Result<std::vector<PodView>> StoreReader::Pods(const StoreFilter& filter) {
  std::vector<PodRecord> records;
  std::vector<AllocationRecord> allocations;
  const auto read = connection_->Read([&](sql::Database& database) {
    return Collect(database, query::Pods(filter), rows::ReadPod, records).and_then([&] {
      return Collect(database, query::AllocationsOfPods(filter), rows::ReadAllocation, allocations);
    });
  });
  if (!read) return tl::unexpected(read.error());
  std::map<std::string, std::vector<AllocationRecord>> by_pod;
  for (AllocationRecord& allocation : allocations) {
    by_pod[allocation.pod_uid].push_back(std::move(allocation));
  }
  std::vector<PodView> views;
  views.reserve(records.size());
  for (PodRecord& record : records) {
    auto held = std::move(by_pod[record.uid]);
    views.push_back({std::move(record), std::move(held)});
  }
  return views;
}

Result<std::vector<Transition>> StoreReader::Transitions(const StoreFilter& filter,
                                                         std::size_t limit) {
  std::vector<Transition> records;
  return connection_
      ->Read([&](sql::Database& database) {
        return Collect(database, query::Transitions(filter, limit), rows::ReadTransition, records);
      })
      .map([&] {
        std::ranges::reverse(records);
        return std::move(records);
      });
}

Result<std::vector<DifferenceView>> StoreReader::Differences(const StoreFilter& filter) {
  std::vector<DifferenceView> views;
  return connection_
      ->Read([&](sql::Database& database) {
        return Collect(database, query::Differences(filter), ReadDifferenceView, views);
      })
      .map([&] { return std::move(views); });
}

Result<std::optional<PodHistory>> StoreReader::HistoryOfPod(const PodName& name) {
  return ReadOne(*connection_,
                 [&](sql::Database& database) { return query::ReadPodHistory(database, name); });
}

Result<std::vector<DeviceKey>> StoreReader::DevicesNamed(const std::string& name) {
  return ReadOne(*connection_,
                 [&](sql::Database& database) { return query::ReadDevicesNamed(database, name); });
}

Result<DeviceHistory> StoreReader::HistoryOfDevice(const DeviceKey& key) {
  return ReadOne(*connection_,
                 [&](sql::Database& database) { return query::ReadDeviceHistory(database, key); });
}

Result<StoreInfo> StoreReader::Info() {
  StoreInfo info;
  const std::string path = connection_->path().string();
  info.path = path;
  info.file_bytes = SizeOf(path);
  info.wal_bytes = SizeOf(path + "-wal");
  info.writer = StoreLock::Holder(path);
  return connection_->Read([&](sql::Database& database) { return ReadInfo(database, info); })
      .map([&] { return std::move(info); });
}

Result<void> StoreReader::Visit(const std::function<bool(const StoredRecord&)>& visit) {
  ReadConnection& from = *connection_;
  const std::function<Result<bool>()> tables[] = {
      [&] { return VisitTable(from, rows::kAlive, rows::ReadAlive, visit); },
      [&] { return VisitTable(from, rows::kAbsences, rows::ReadAbsence, visit); },
      [&] { return VisitTable(from, rows::kDrivers, rows::ReadDriver, visit); },
      [&] { return VisitTable(from, rows::kDevices, rows::ReadDevice, visit); },
      [&] { return VisitTable(from, rows::kPods, rows::ReadPod, visit); },
      [&] { return VisitTable(from, rows::kAllocations, rows::ReadAllocation, visit); },
      [&] { return VisitTable(from, rows::kContainers, rows::ReadContainer, visit); },
      [&] { return VisitTransitions(from, visit); },
  };
  for (const auto& table : tables) {
    const auto go_on = table();
    if (!go_on) return tl::unexpected(go_on.error());
    if (!*go_on) break;
  }
  return {};
}

}  // namespace dra_health

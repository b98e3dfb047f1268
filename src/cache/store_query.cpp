#include "cache/store_query.h"

#include "cache/rows.h"

namespace dra_health {

Query& Query::Where(std::string_view condition, std::initializer_list<sql::Value> values) {
  text_.append(has_condition_ ? " AND (" : " WHERE (").append(condition).append(")");
  has_condition_ = true;
  values_.insert(values_.end(), values);
  return *this;
}

Query& Query::WhereIn(std::string_view column, const Query& select) {
  Where(std::string(column) + " IN (" + select.text_ + ")");
  values_.insert(values_.end(), select.values_.begin(), select.values_.end());
  return *this;
}

Query& Query::Then(std::string_view text, std::initializer_list<sql::Value> values) {
  text_.append(text);
  values_.insert(values_.end(), values);
  return *this;
}

sql::Outcome<void> Query::Run(sql::Database& database,
                              const std::function<void(sql::Row&)>& visit) const {
  return database.Prepare(text_).and_then(
      [&](sql::Statement statement) { return statement.EachOf(values_, visit); });
}

namespace query {
namespace {

constexpr const char* kPodMatches = "? IN (p.name, p.namespace || '/' || p.name, p.uid)";

std::string Name(Health health) { return std::string(ToString(health)); }

// Conditions on device_names n.
void WhereDevice(Query& query, const StoreFilter& filter) {
  if (filter.driver) query.Where("n.driver = ?", {*filter.driver});
  if (filter.device) query.Where(kDeviceMatches, {*filter.device});
}

void WhereHeldByPod(Query& query, const StoreFilter& filter) {
  if (!filter.pod) return;
  Query held("SELECT a.device_id FROM allocations a JOIN pods p ON p.uid = a.pod_uid");
  query.WhereIn("n.id", held.Where(kPodMatches, {*filter.pod}));
}

// Conditions on pods p.
void WherePod(Query& query, const StoreFilter& filter) {
  if (filter.pod) query.Where(kPodMatches, {*filter.pod});
  if (filter.health) query.Where("p.condition = ?", {Name(*filter.health)});
  if (filter.since) {
    query.Where(
        "max(p.first_seen_ms, ifnull(p.last_published_ms, 0), ifnull(p.ended_ms, 0),"
        " ifnull(p.deleted_ms, 0)) >= ?",
        {Millis(*filter.since)});
  }
  if (!filter.driver && !filter.device) return;
  Query held("SELECT a.pod_uid FROM allocations a JOIN device_names n ON n.id = a.device_id");
  WhereDevice(held, filter);
  query.WhereIn("p.uid", held);
}

}  // namespace

Query Devices(const StoreFilter& filter) {
  Query query(rows::kDevices);
  WhereDevice(query, filter);
  WhereHeldByPod(query, filter);
  if (filter.health) query.Where("d.health = ?", {Name(*filter.health)});
  if (filter.since) query.Where("d.since_ms >= ?", {Millis(*filter.since)});
  return query.Then(" ORDER BY n.driver, n.pool, n.device");
}

Query Drivers(const StoreFilter& filter) {
  Query query(rows::kDrivers);
  if (filter.driver) query.Where("v.name = ?", {*filter.driver});
  if (filter.since) query.Where("v.since_ms >= ?", {Millis(*filter.since)});
  if (filter.device || filter.pod || filter.health) {
    Query devices(
        "SELECT n.driver FROM device_names n"
        " LEFT JOIN devices d ON d.device_id = n.id");
    WhereDevice(devices, filter);
    WhereHeldByPod(devices, filter);
    if (filter.health) devices.Where("d.health = ?", {Name(*filter.health)});
    query.WhereIn("v.name", devices);
  }
  return query.Then(" ORDER BY v.name");
}

Query Pods(const StoreFilter& filter) {
  Query query(rows::kPods);
  WherePod(query, filter);
  return query.Then(" ORDER BY p.namespace, p.name, p.first_seen_ms, p.uid");
}

Query AllocationsOfPods(const StoreFilter& filter) {
  Query pods("SELECT p.uid FROM pods p");
  WherePod(pods, filter);
  Query query(rows::kAllocations);
  query.WhereIn("a.pod_uid", pods);
  return query.Then(" ORDER BY a.pod_uid, a.container, a.from_ms, n.driver, n.pool, n.device");
}

Query HoldersOfDevices() {
  return Query(
      "SELECT DISTINCT n.driver, n.pool, n.device, p.namespace, p.name, p.ended_ms"
      " FROM allocations a JOIN device_names n ON n.id = a.device_id JOIN pods p ON p.uid = "
      "a.pod_uid"
      " WHERE a.until_ms IS NULL ORDER BY p.namespace, p.name");
}

Query Differences(const StoreFilter& filter) {
  StoreFilter of_pod = filter;
  of_pod.health.reset();
  of_pod.since.reset();
  Query pods("SELECT p.uid FROM pods p");
  WherePod(pods, of_pod);
  Query query(rows::kDifferences);
  query.WhereIn("x.pod_uid", pods);
  if (filter.health) query.Where("? IN (x.ours, x.theirs)", {Name(*filter.health)});
  if (filter.since) query.Where("x.since_ms >= ?", {Millis(*filter.since)});
  return query.Then(" ORDER BY p.namespace, p.name, x.container, x.entry, x.resource_id");
}

// The rows are first found by their numbers, for which an index alone is enough, and only those
// within the limit are then read. CROSS JOIN fixes the order of the loops, and the plus keeps
// SQLite from another: without statistics it walks the whole history by time in search of a few
// devices.
Query Transitions(const StoreFilter& filter, std::size_t limit) {
  const bool few_devices = filter.device || filter.pod;
  const char* find = "SELECT t.id FROM transitions t JOIN device_names n ON n.id = t.device_id";
  if (few_devices) {
    find = "SELECT t.id FROM device_names n CROSS JOIN transitions t ON t.device_id = n.id";
  }
  if (filter.pod) {
    find =
        "SELECT DISTINCT t.id FROM pods p CROSS JOIN allocations a ON a.pod_uid = p.uid"
        " CROSS JOIN device_names n ON n.id = a.device_id"
        " CROSS JOIN transitions t ON t.device_id = a.device_id AND t.at_ms >= a.from_ms"
        " AND t.at_ms <= ifnull(a.until_ms, t.at_ms)";
  }
  Query numbers(find);
  WhereDevice(numbers, filter);
  if (filter.pod) {
    numbers.Where(kPodMatches, {*filter.pod});
    numbers.Where("t.at_ms <= ifnull(p.ended_ms + ?, t.at_ms)",
                  {std::chrono::milliseconds{kAftermath}.count()});
  }
  if (filter.since) numbers.Where("t.at_ms >= ?", {Millis(*filter.since)});
  if (filter.health) numbers.Where("t.to_health = ?", {Name(*filter.health)});
  // The plus keeps SQLite from walking the whole history by time in search of a few devices.
  numbers.Then(few_devices ? " ORDER BY +t.at_ms DESC, t.id DESC"
                           : " ORDER BY t.at_ms DESC, t.id DESC");
  if (limit > 0) numbers.Then(" LIMIT ?", {static_cast<std::int64_t>(limit)});
  Query query(rows::kTransitions);
  query.WhereIn("t.id", numbers);
  return query.Then(" ORDER BY t.at_ms DESC, t.id DESC");
}

}  // namespace query

}  // namespace dra_health

#include "cache/history_query.h"

#include <algorithm>
#include <utility>

#include "cache/rows.h"
#include "cache/store_query.h"

namespace dra_health::query {
namespace {

// Runs queries one after the other; the first failure stands, and what comes after it is not run.
class Reading {
 public:
  explicit Reading(sql::Database& database) : database_(database) {}

  template <typename T>
  std::vector<T> All(const Query& query, T (*read)(sql::Row&)) {
    std::vector<T> rows;
    Each(query, [&](sql::Row& row) { rows.push_back(read(row)); });
    return rows;
  }

  template <typename T>
  std::optional<T> One(const Query& query, T (*read)(sql::Row&)) {
    auto rows = All(query, read);
    return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
  }

  std::vector<std::int64_t> Integers(const Query& query) {
    std::vector<std::int64_t> values;
    Each(query, [&](sql::Row& row) { values.push_back(row.Integer()); });
    return values;
  }

  template <typename T>
  sql::Outcome<T> End(T result) {
    if (failure_) return tl::unexpected(*failure_);
    return result;
  }

 private:
  template <typename Visit>
  void Each(const Query& query, const Visit& visit) {
    if (failure_) return;
    const auto done = query.Run(database_, visit);
    if (!done) failure_ = done.error();
  }

  sql::Database& database_;
  std::optional<sql::Failure> failure_;
};

WallTime ReadTime(sql::Row& row) { return row.Time(); }

// Signs of life are written every 10 s; a transition is one too.
Presence ReadPresence(Reading& reading) {
  Presence presence{
      reading.All(Query(rows::kAbsences).Then(" ORDER BY b.from_ms"), rows::ReadAbsence),
      reading.One(Query(rows::kAlive), rows::ReadAlive)};
  const auto newest =
      reading.One(Query("SELECT coalesce(max(at_ms), 0) FROM transitions"), ReadTime);
  if (presence.alive && newest) {
    presence.alive->wall = std::max(presence.alive->wall, *newest);
  }
  return presence;
}

Query DevicesOfPod(const std::string& uid) {
  return Query("SELECT DISTINCT a.device_id FROM allocations a").Where("a.pod_uid = ?", {uid});
}

struct Window {
  WallTime from;
  std::optional<WallTime> to;  // none: until now
};

Window WindowOf(const PodHistory& history) {
  Window window{history.pod.first_seen, history.pod.over()};
  for (const AllocationRecord& allocation : history.allocations) {
    window.from = std::min(window.from, allocation.from);
  }
  for (const ContainerRecord& container : history.containers) {
    const ContainerRun& run = container.run;
    window.from = std::min(window.from, run.started.value_or(run.ended.value_or(window.from)));
    if (window.to && run.ended) window.to = std::max(*window.to, *run.ended);
  }
  if (window.to) *window.to += kAftermath;
  return window;
}

struct NumberedTransition {
  Transition transition;
  std::int64_t number = 0;  // in the order in which they were written
};

NumberedTransition ReadNumbered(sql::Row& row) {
  NumberedTransition numbered{rows::ReadTransition(row)};
  numbered.number = row.Integer();
  return numbered;
}

std::vector<Transition> ReadTransitions(Reading& reading, const std::vector<std::int64_t>& devices,
                                        const Window& window) {
  std::vector<NumberedTransition> found;
  for (const std::int64_t device : devices) {
    Query before(rows::kTransitions);
    before.Where("t.device_id = ?", {device}).Where("t.at_ms < ?", {Millis(window.from)});
    before.Then(" ORDER BY t.at_ms DESC, t.id DESC LIMIT 1");
    std::ranges::move(reading.All(before, ReadNumbered), std::back_inserter(found));
    Query within(rows::kTransitions);
    within.Where("t.device_id = ?", {device}).Where("t.at_ms >= ?", {Millis(window.from)});
    if (window.to) within.Where("t.at_ms <= ?", {Millis(*window.to)});
    std::ranges::move(reading.All(within, ReadNumbered), std::back_inserter(found));
  }
  std::ranges::sort(found, {}, [](const NumberedTransition& numbered) {
    return std::pair(numbered.transition.at, numbered.number);
  });
  std::vector<Transition> transitions;
  transitions.reserve(found.size());
  for (NumberedTransition& numbered : found) transitions.push_back(std::move(numbered.transition));
  return transitions;
}

}  // namespace

sql::Outcome<std::optional<PodHistory>> ReadPodHistory(sql::Database& database,
                                                       const PodName& name) {
  Reading reading(database);
  Query named(rows::kPods);
  named.Where("p.namespace = ?", {name.namespace_name}).Where("p.name = ?", {name.name});
  named.Then(" ORDER BY p.deleted_ms IS NOT NULL, p.first_seen_ms DESC, p.uid");
  auto pods = reading.All(named, rows::ReadPod);
  const auto chosen = std::ranges::find_if(
      pods, [&](const PodRecord& pod) { return !name.uid || pod.uid == *name.uid; });
  if (chosen == pods.end()) return reading.End(std::optional<PodHistory>());

  PodHistory history;
  history.pod = std::move(*chosen);
  pods.erase(chosen);
  history.namesakes = std::move(pods);
  const std::string& uid = history.pod.uid;
  history.allocations =
      reading.All(Query(rows::kAllocations)
                      .Where("a.pod_uid = ?", {uid})
                      .Then(" ORDER BY a.container, n.driver, n.pool, n.device, a.from_ms"),
                  rows::ReadAllocation);
  history.containers = reading.All(Query(rows::kContainers)
                                       .Where("c.pod_uid = ?", {uid})
                                       .Then(" ORDER BY c.container, c.restart"),
                                   rows::ReadContainer);
  history.devices =
      reading.All(Query(rows::kDevices).WhereIn("n.id", DevicesOfPod(uid)), rows::ReadDevice);
  Query drivers("SELECT n.driver FROM device_names n");
  drivers.WhereIn("n.id", DevicesOfPod(uid));
  history.drivers = reading.All(Query(rows::kDrivers).WhereIn("v.name", drivers), rows::ReadDriver);
  history.transitions =
      ReadTransitions(reading, reading.Integers(DevicesOfPod(uid)), WindowOf(history));
  history.presence = ReadPresence(reading);
  return reading.End(std::optional(std::move(history)));
}

sql::Outcome<std::vector<DeviceKey>> ReadDevicesNamed(sql::Database& database,
                                                      const std::string& name) {
  Reading reading(database);
  Query query("SELECT n.driver, n.pool, n.device FROM device_names n");
  query.Where(kDeviceMatches, {name});
  return reading.End(
      reading.All(query.Then(" ORDER BY n.driver, n.pool, n.device"), rows::ReadKey));
}

sql::Outcome<DeviceHistory> ReadDeviceHistory(sql::Database& database, const DeviceKey& key) {
  Reading reading(database);
  DeviceHistory history;
  history.key = key;
  const auto of_device = [&](const char* rows) {
    Query query(rows);
    query.Where("n.driver = ?", {key.driver}).Where("n.pool = ?", {key.pool});
    return query.Where("n.device = ?", {key.device});
  };
  history.device = reading.One(of_device(rows::kDevices), rows::ReadDevice);
  history.driver =
      reading.One(Query(rows::kDrivers).Where("v.name = ?", {key.driver}), rows::ReadDriver);
  history.allocations =
      reading.All(of_device(rows::kAllocations).Then(" ORDER BY a.from_ms, a.pod_uid, a.container"),
                  rows::ReadAllocation);
  const Query holders =
      of_device("SELECT a.pod_uid FROM allocations a JOIN device_names n ON n.id = a.device_id");
  history.pods = reading.All(
      Query(rows::kPods).WhereIn("p.uid", holders).Then(" ORDER BY p.first_seen_ms, p.uid"),
      rows::ReadPod);
  history.containers = reading.All(Query(rows::kContainers)
                                       .WhereIn("c.pod_uid", holders)
                                       .Then(" ORDER BY c.pod_uid, c.container, c.restart"),
                                   rows::ReadContainer);
  history.transitions = reading.All(of_device(rows::kTransitions).Then(" ORDER BY t.at_ms, t.id"),
                                    rows::ReadTransition);
  history.presence = ReadPresence(reading);
  return reading.End(std::move(history));
}

}  // namespace dra_health::query

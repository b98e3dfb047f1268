#include "cache/record_writer.h"

namespace dra_health {
namespace {

constexpr const char* kFindName =
    "SELECT id FROM device_names WHERE driver = ? AND pool = ? AND device = ?";
constexpr const char* kAddName =
    "INSERT INTO device_names (driver, pool, device) VALUES (?, ?, ?) RETURNING id";
constexpr const char* kDevice =
    "INSERT OR REPLACE INTO devices (device_id, health, reason, message, since_ms, lease_s,"
    " driver_time_s) VALUES (?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kTransition =
    "INSERT INTO transitions (at_ms, device_id, from_health, to_health, reason, message, endpoint)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kDriver =
    "INSERT OR REPLACE INTO drivers (name, state, endpoint, service, since_ms, streams_opened,"
    " streams_ended, last_error) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kPod =
    "INSERT OR REPLACE INTO pods (uid, namespace, name, field, condition, reason, message,"
    " first_seen_ms, last_published_ms, ended_ms, deleted_ms, last_error)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kAllocation =
    "INSERT OR REPLACE INTO allocations (pod_uid, container, pod_claim, claim, request, device_id,"
    " share_id, from_ms, until_ms, last_health, last_reason, last_message, last_since_ms,"
    " last_counts, last_closed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kAlive =
    "INSERT OR REPLACE INTO alive (one, boot_id, boot_ns, wall_ms) VALUES (1, ?, ?, ?)";
constexpr const char* kCdiId = "UPDATE device_names SET cdi_id = ?2 WHERE id = ?1";
constexpr const char* kDropDifferences = "DELETE FROM differences WHERE pod_uid = ?";
constexpr const char* kDifference =
    "INSERT OR REPLACE INTO differences (pod_uid, container, entry, resource_id, ours, theirs,"
    " our_message, their_message, reason, since_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kContainer =
    "INSERT OR REPLACE INTO containers (pod_uid, container, restart, kind, started_ms, ended_ms,"
    " exit_code, signal, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kAbsence =
    "INSERT OR REPLACE INTO absences (from_ms, until_ms) VALUES (?, ?)";
constexpr const char* kForget = "DELETE FROM devices WHERE device_id = ?";
constexpr const char* kEnd =
    "UPDATE allocations SET until_ms = ?2 WHERE pod_uid = ?1 AND until_ms IS NULL";

}  // namespace

sql::Outcome<RecordWriter> RecordWriter::Prepare(sql::Database& database) {
  RecordWriter writer;
  const std::pair<sql::Statement&, const char*> statements[] = {
      {writer.find_name_, kFindName},    {writer.add_name_, kAddName},
      {writer.device_, kDevice},         {writer.transition_, kTransition},
      {writer.driver_, kDriver},         {writer.pod_, kPod},
      {writer.allocation_, kAllocation}, {writer.alive_, kAlive},
      {writer.forget_, kForget},         {writer.end_, kEnd},
      {writer.cdi_id_, kCdiId},          {writer.drop_differences_, kDropDifferences},
      {writer.difference_, kDifference}, {writer.container_, kContainer},
      {writer.absence_, kAbsence},
  };
  for (const auto& [statement, text] : statements) {
    auto prepared = database.Prepare(text);
    if (!prepared) return tl::unexpected(prepared.error());
    statement = std::move(*prepared);
  }
  return writer;
}

sql::Outcome<std::int64_t> RecordWriter::IdOf(const DeviceKey& key) {
  std::optional<std::int64_t> id;
  const auto take = [&](sql::Row& row) { id = row.Integer(); };
  auto done = find_name_.Each(take, key.driver, key.pool, key.device);
  if (done && !id) done = add_name_.Each(take, key.driver, key.pool, key.device);
  return done.map([&] { return id.value_or(0); });
}

sql::Outcome<void> RecordWriter::operator()(const DeviceRecord& record) {
  const DeviceHealth& health = record.health;
  return IdOf(record.key).and_then([&](std::int64_t id) {
    return device_.Run(id, ToString(health.health), ToString(health.reason), health.message,
                       health.since, record.lease.count(), record.driver_time);
  });
}

sql::Outcome<void> RecordWriter::operator()(const Transition& record) {
  return IdOf(record.key).and_then([&](std::int64_t id) {
    return transition_.Run(record.at, id, ToString(record.from), ToString(record.to),
                           ToString(record.reason), record.message, record.endpoint);
  });
}

sql::Outcome<void> RecordWriter::operator()(const DriverRecord& record) {
  return driver_.Run(record.name, ToString(record.state), record.endpoint, record.service,
                     record.since, record.streams_opened, record.streams_ended, record.last_error);
}

sql::Outcome<void> RecordWriter::operator()(const PodRecord& record) {
  std::optional<std::string_view> condition;
  if (record.condition) condition = ToString(*record.condition);
  return pod_.Run(record.uid, record.namespace_name, record.name, ToString(record.field), condition,
                  record.reason, record.message, record.first_seen, record.last_published,
                  record.ended, record.deleted, record.last_error);
}

sql::Outcome<void> RecordWriter::operator()(const AllocationRecord& record) {
  std::optional<std::string_view> health;
  if (record.last) health = ToString(record.last->health.health);
  const LastHealth last = record.last.value_or(LastHealth{});
  return IdOf(record.key).and_then([&](std::int64_t id) {
    return allocation_.Run(record.pod_uid, record.container, record.pod_claim, record.claim,
                           record.request, id, record.share_id, record.from, record.to, health,
                           ToString(last.health.reason), last.health.message, last.health.since,
                           last.counts, last.closed);
  });
}

sql::Outcome<void> RecordWriter::operator()(const AliveRecord& record) {
  return alive_.Run(record.boot_id, record.boot.time_since_epoch().count(), record.wall);
}

sql::Outcome<void> RecordWriter::operator()(const ForgetDevice& record) {
  return IdOf(record.key).and_then([&](std::int64_t id) { return forget_.Run(id); });
}

sql::Outcome<void> RecordWriter::operator()(const EndAllocations& record) {
  return end_.Run(record.pod_uid, record.at);
}

sql::Outcome<void> RecordWriter::operator()(const CdiIdRecord& record) {
  return IdOf(record.key).and_then([&](std::int64_t id) { return cdi_id_.Run(id, record.cdi_id); });
}

sql::Outcome<void> RecordWriter::operator()(const FieldDifferences& record) {
  const auto name = [](const std::optional<Health>& health) {
    return health ? std::optional(ToString(*health)) : std::nullopt;
  };
  auto done = drop_differences_.Run(record.pod_uid);
  for (const auto& [difference, since] : record.differences) {
    if (!done) break;
    done =
        difference_.Run(record.pod_uid, difference.container, difference.entry,
                        difference.resource_id, name(difference.ours), name(difference.theirs),
                        difference.our_message, difference.their_message, difference.reason, since);
  }
  return done;
}

sql::Outcome<void> RecordWriter::operator()(const ContainerRecord& record) {
  const ContainerRun& run = record.run;
  return container_.Run(record.pod_uid, record.container, run.restart, ToString(record.kind),
                        run.started, run.ended, run.exit_code, run.signal, run.reason);
}

sql::Outcome<void> RecordWriter::operator()(const AbsenceRecord& record) {
  return absence_.Run(record.from, record.to);
}

}  // namespace dra_health

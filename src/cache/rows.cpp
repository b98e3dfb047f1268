#include "cache/rows.h"

#include <algorithm>
#include <cstdint>

namespace dra_health::rows {
namespace {

Health ReadHealth(sql::Row& row) { return ParseHealth(row.Text()).value_or(Health::kUnknown); }

// Keeps the rule that exactly the Unknown has a reason, whatever the file says.
UnknownReason ReadReason(sql::Row& row, Health health) {
  const auto reason = ParseUnknownReason(row.Text()).value_or(UnknownReason::kNone);
  if (health != Health::kUnknown) return UnknownReason::kNone;
  return reason == UnknownReason::kNone ? UnknownReason::kNeverReported : reason;
}

// The columns after `health`.
DeviceHealth ReadDeviceHealth(sql::Row& row, Health health) {
  DeviceHealth read;
  read.health = health;
  read.reason = ReadReason(row, health);
  read.message = row.Text();
  read.since = row.Time();
  return read;
}

}  // namespace

DeviceKey ReadKey(sql::Row& row) {
  return DeviceKey{.driver = row.Text(), .pool = row.Text(), .device = row.Text()};
}

DeviceRecord ReadDevice(sql::Row& row) {
  DeviceRecord record;
  record.key = ReadKey(row);
  record.health = ReadDeviceHealth(row, ReadHealth(row));
  record.lease =
      std::chrono::seconds{std::clamp<std::int64_t>(row.Integer(), 0, kMaxLease.count())};
  record.driver_time = row.Integer();
  return record;
}

DriverRecord ReadDriver(sql::Row& row) {
  DriverRecord record;
  record.name = row.Text();
  record.state = ParseDriverState(row.Text()).value_or(DriverState::kConnecting);
  record.endpoint = row.Text();
  record.service = row.Text();
  record.since = row.Time();
  record.streams_opened = row.Integer();
  record.streams_ended = row.Integer();
  record.last_error = row.Text();
  return record;
}

PodRecord ReadPod(sql::Row& row) {
  PodRecord record;
  record.uid = row.Text();
  record.namespace_name = row.Text();
  record.name = row.Text();
  record.field = ParseFieldState(row.Text()).value_or(FieldState::kPending);
  if (const auto condition = row.OptionalText()) {
    record.condition = ParseHealth(*condition).value_or(Health::kUnknown);
  }
  record.reason = row.Text();
  record.message = row.Text();
  record.first_seen = row.Time();
  record.last_published = row.OptionalTime();
  record.ended = row.OptionalTime();
  record.deleted = row.OptionalTime();
  record.last_error = row.Text();
  return record;
}

AllocationRecord ReadAllocation(sql::Row& row) {
  AllocationRecord record;
  record.pod_uid = row.Text();
  record.container = row.Text();
  record.pod_claim = row.Text();
  record.claim = row.Text();
  record.request = row.Text();
  record.key = ReadKey(row);
  record.share_id = row.Text();
  record.from = row.Time();
  record.to = row.OptionalTime();
  if (const auto last = row.OptionalText()) {
    record.last.emplace();
    record.last->health = ReadDeviceHealth(row, ParseHealth(*last).value_or(Health::kUnknown));
    record.last->counts = row.Integer() != 0;
    record.last->closed = row.Integer() != 0;
  }
  return record;
}

Transition ReadTransition(sql::Row& row) {
  Transition record;
  record.at = row.Time();
  record.key = ReadKey(row);
  record.from = ReadHealth(row);
  record.to = ReadHealth(row);
  record.reason = ReadReason(row, record.to);
  record.message = row.Text();
  record.endpoint = row.Text();
  return record;
}

CdiIdRecord ReadCdiId(sql::Row& row) {
  CdiIdRecord record;
  record.key = ReadKey(row);
  record.cdi_id = row.Text();
  return record;
}

FieldDifference ReadDifference(sql::Row& row) {
  FieldDifference difference;
  difference.container = row.Text();
  difference.entry = row.Text();
  difference.resource_id = row.Text();
  const auto health = [&] {
    const auto text = row.OptionalText();
    return text ? ParseHealth(*text) : std::nullopt;
  };
  difference.ours = health();
  difference.theirs = health();
  difference.our_message = row.Text();
  difference.their_message = row.Text();
  difference.reason = row.Text();
  return difference;
}

ContainerRecord ReadContainer(sql::Row& row) {
  ContainerRecord record;
  record.pod_uid = row.Text();
  record.container = row.Text();
  record.run.restart = row.Integer();
  record.kind = ParseContainerKind(row.Text()).value_or(ContainerKind::kContainer);
  record.run.started = row.OptionalTime();
  record.run.ended = row.OptionalTime();
  record.run.exit_code = row.Integer();
  record.run.signal = row.Integer();
  record.run.reason = row.Text();
  return record;
}

AbsenceRecord ReadAbsence(sql::Row& row) { return {.from = row.Time(), .to = row.Time()}; }

AliveRecord ReadAlive(sql::Row& row) {
  AliveRecord record;
  record.boot_id = row.Text();
  record.boot = BootTime{std::chrono::nanoseconds{row.Integer()}};
  record.wall = row.Time();
  return record;
}

}  // namespace dra_health::rows

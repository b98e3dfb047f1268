#pragma once

#include "cache/sql.h"
#include "model/record.h"

// How records are read back. Each query's columns are in the order its reader takes them; callers
// append their own WHERE and ORDER BY. A name this program does not know (a newer program wrote it)
// is read as the least that can be said: Unknown, Connecting, Pending.
namespace dra_health::rows {

DeviceKey ReadKey(sql::Row& row);  // driver, pool, device

inline constexpr const char* kDevices =
    "SELECT n.driver, n.pool, n.device, d.health, d.reason, d.message, d.since_ms, d.lease_s,"
    " d.driver_time_s FROM devices d JOIN device_names n ON n.id = d.device_id";
DeviceRecord ReadDevice(sql::Row& row);

inline constexpr const char* kDrivers =
    "SELECT v.name, v.state, v.endpoint, v.service, v.since_ms, v.streams_opened, v.streams_ended,"
    " v.last_error FROM drivers v";
DriverRecord ReadDriver(sql::Row& row);

inline constexpr const char* kPods =
    "SELECT p.uid, p.namespace, p.name, p.field, p.condition, p.reason, p.message,"
    " p.first_seen_ms, p.last_published_ms, p.ended_ms, p.deleted_ms, p.last_error FROM pods p";
PodRecord ReadPod(sql::Row& row);

inline constexpr const char* kAllocations =
    "SELECT a.pod_uid, a.container, a.pod_claim, a.claim, a.request, n.driver, n.pool, n.device,"
    " a.share_id, a.from_ms, a.until_ms, a.last_health, a.last_reason, a.last_message,"
    " a.last_since_ms, a.last_counts, a.last_closed"
    " FROM allocations a JOIN device_names n ON n.id = a.device_id";
AllocationRecord ReadAllocation(sql::Row& row);

inline constexpr const char* kTransitions =
    "SELECT t.at_ms, n.driver, n.pool, n.device, t.from_health, t.to_health, t.reason, t.message,"
    " t.endpoint, t.id FROM transitions t JOIN device_names n ON n.id = t.device_id";
Transition ReadTransition(sql::Row& row);

inline constexpr const char* kCdiIds =
    "SELECT n.driver, n.pool, n.device, n.cdi_id FROM device_names n WHERE n.cdi_id IS NOT NULL";
CdiIdRecord ReadCdiId(sql::Row& row);

inline constexpr const char* kDifferences =
    "SELECT x.container, x.entry, x.resource_id, x.ours, x.theirs, x.our_message,"
    " x.their_message, x.reason, x.since_ms, p.uid, p.namespace, p.name"
    " FROM differences x JOIN pods p ON p.uid = x.pod_uid";
FieldDifference ReadDifference(sql::Row& row);

inline constexpr const char* kContainers =
    "SELECT c.pod_uid, c.container, c.restart, c.kind, c.started_ms, c.ended_ms, c.exit_code,"
    " c.signal, c.reason FROM containers c";
ContainerRecord ReadContainer(sql::Row& row);

inline constexpr const char* kAbsences = "SELECT b.from_ms, b.until_ms FROM absences b";
AbsenceRecord ReadAbsence(sql::Row& row);

inline constexpr const char* kAlive = "SELECT boot_id, boot_ns, wall_ms FROM alive";
AliveRecord ReadAlive(sql::Row& row);

}  // namespace dra_health::rows

#include "cache/schema.h"

#include <array>
#include <string>

namespace dra_health::schema {
namespace {

// Names of enums are stored as text, wall times as milliseconds since the epoch.
//
// The triple that names a device stands once, in device_names; the history, which is nearly all of
// a file, refers to it by number. That halves the file and makes every filter by driver, pool or
// device a look-up in one small table.
constexpr Migration kVersion1 = R"sql(
PRAGMA application_id = 0x44524148;

CREATE TABLE device_names (
  id INTEGER PRIMARY KEY,
  driver TEXT NOT NULL,
  pool TEXT NOT NULL,
  device TEXT NOT NULL,
  UNIQUE (driver, pool, device)
) STRICT;

CREATE TABLE devices (
  device_id INTEGER PRIMARY KEY REFERENCES device_names,
  health TEXT NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  lease_s INTEGER NOT NULL,
  driver_time_s INTEGER NOT NULL
) STRICT;

CREATE TABLE drivers (
  name TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  service TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  streams_opened INTEGER NOT NULL,
  streams_ended INTEGER NOT NULL,
  last_error TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pods (
  uid TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  field TEXT NOT NULL,
  condition TEXT,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  first_seen_ms INTEGER NOT NULL,
  last_published_ms INTEGER,
  ended_ms INTEGER,
  deleted_ms INTEGER,
  last_error TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE allocations (
  pod_uid TEXT NOT NULL,
  container TEXT NOT NULL,
  pod_claim TEXT NOT NULL,
  request TEXT NOT NULL,
  device_id INTEGER NOT NULL REFERENCES device_names,
  share_id TEXT NOT NULL,
  claim TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  until_ms INTEGER,
  PRIMARY KEY (pod_uid, container, pod_claim, request, device_id, share_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX allocations_by_device ON allocations (device_id);

CREATE TABLE transitions (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  device_id INTEGER NOT NULL REFERENCES device_names,
  from_health TEXT NOT NULL,
  to_health TEXT NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  endpoint TEXT NOT NULL
) STRICT;
CREATE INDEX transitions_by_device ON transitions (device_id, at_ms);
CREATE INDEX transitions_by_time ON transitions (at_ms);

CREATE TABLE alive (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  boot_id TEXT NOT NULL,
  boot_ns INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL
) STRICT;
)sql";

// Who holds a pod's field, CDI IDs, how the kubelet's word differs from ours, the runs of
// containers, and when no agent was there.
constexpr Migration kVersion2 = R"sql(
UPDATE pods SET field = 'Own' WHERE field = 'Published';

ALTER TABLE device_names ADD COLUMN cdi_id TEXT;

CREATE TABLE differences (
  pod_uid TEXT NOT NULL,
  container TEXT NOT NULL,
  entry TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  ours TEXT,
  theirs TEXT,
  our_message TEXT NOT NULL,
  their_message TEXT NOT NULL,
  reason TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  PRIMARY KEY (pod_uid, container, entry, resource_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE containers (
  pod_uid TEXT NOT NULL,
  container TEXT NOT NULL,
  restart INTEGER NOT NULL,
  kind TEXT NOT NULL,
  started_ms INTEGER,
  ended_ms INTEGER,
  exit_code INTEGER NOT NULL,
  signal INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (pod_uid, container, restart)
) STRICT, WITHOUT ROWID;

CREATE TABLE absences (
  from_ms INTEGER PRIMARY KEY,
  until_ms INTEGER NOT NULL
) STRICT;
)sql";

// What an ended pod says of each device; last_health is NULL before its end.
constexpr Migration kVersion3 = R"sql(
ALTER TABLE allocations ADD COLUMN last_health TEXT;
ALTER TABLE allocations ADD COLUMN last_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE allocations ADD COLUMN last_message TEXT NOT NULL DEFAULT '';
ALTER TABLE allocations ADD COLUMN last_since_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE allocations ADD COLUMN last_counts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE allocations ADD COLUMN last_closed INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr std::array kMigrations = {kVersion1, kVersion2, kVersion3};

}  // namespace

std::span<const Migration> Migrations() { return kMigrations; }

sql::Outcome<void> Migrate(sql::Database& database, std::span<const Migration> steps) {
  const auto version = database.Integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  if (*version == static_cast<std::int64_t>(steps.size())) return {};
  auto transaction = sql::Transaction::Begin(database);
  if (!transaction) return tl::unexpected(transaction.error());
  for (const Migration step : steps.subspan(static_cast<std::size_t>(*version))) {
    if (auto done = database.Execute(step); !done) return done;
  }
  const std::string stamp = "PRAGMA user_version = " + std::to_string(steps.size());
  if (auto done = database.Execute(stamp.c_str()); !done) return done;
  return transaction->Commit();
}

}  // namespace dra_health::schema

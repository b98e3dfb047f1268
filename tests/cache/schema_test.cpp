#include "cache/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/cache/opened_store.h"
#include "tests/cache/raw_sql.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::SizeIs;

// A file as the first version wrote it. Never to be edited: it stands for files on nodes.
constexpr const char* kVersion1File = R"sql(
PRAGMA journal_mode = WAL;
PRAGMA application_id = 0x44524148;
CREATE TABLE device_names (id INTEGER PRIMARY KEY, driver TEXT NOT NULL, pool TEXT NOT NULL,
  device TEXT NOT NULL, UNIQUE (driver, pool, device)) STRICT;
CREATE TABLE devices (device_id INTEGER PRIMARY KEY REFERENCES device_names, health TEXT NOT NULL,
  reason TEXT NOT NULL, message TEXT NOT NULL, since_ms INTEGER NOT NULL,
  lease_s INTEGER NOT NULL, driver_time_s INTEGER NOT NULL) STRICT;
CREATE TABLE drivers (name TEXT PRIMARY KEY, state TEXT NOT NULL, endpoint TEXT NOT NULL,
  service TEXT NOT NULL, since_ms INTEGER NOT NULL, streams_opened INTEGER NOT NULL,
  streams_ended INTEGER NOT NULL, last_error TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE pods (uid TEXT PRIMARY KEY, namespace TEXT NOT NULL, name TEXT NOT NULL,
  field TEXT NOT NULL, condition TEXT, reason TEXT NOT NULL, message TEXT NOT NULL,
  first_seen_ms INTEGER NOT NULL, last_published_ms INTEGER, ended_ms INTEGER, deleted_ms INTEGER,
  last_error TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE allocations (pod_uid TEXT NOT NULL, container TEXT NOT NULL, pod_claim TEXT NOT NULL,
  request TEXT NOT NULL, device_id INTEGER NOT NULL REFERENCES device_names,
  share_id TEXT NOT NULL, claim TEXT NOT NULL, from_ms INTEGER NOT NULL, until_ms INTEGER,
  PRIMARY KEY (pod_uid, container, pod_claim, request, device_id, share_id)) STRICT, WITHOUT ROWID;
CREATE INDEX allocations_by_device ON allocations (device_id);
CREATE TABLE transitions (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL,
  device_id INTEGER NOT NULL REFERENCES device_names, from_health TEXT NOT NULL,
  to_health TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL,
  endpoint TEXT NOT NULL) STRICT;
CREATE INDEX transitions_by_device ON transitions (device_id, at_ms);
CREATE INDEX transitions_by_time ON transitions (at_ms);
CREATE TABLE alive (one INTEGER PRIMARY KEY CHECK (one = 1), boot_id TEXT NOT NULL,
  boot_ns INTEGER NOT NULL, wall_ms INTEGER NOT NULL) STRICT;
INSERT INTO device_names VALUES (1, 'gpu.example.com', 'node-1', 'gpu-0');
INSERT INTO devices VALUES (1, 'Unhealthy', '', 'hot', 1800000001000, 30, 1799999000);
INSERT INTO drivers VALUES ('gpu.example.com', 'Streaming', '/dra.sock', 'v1.DRAResourceHealth',
  1800000000000, 1, 0, '');
INSERT INTO pods VALUES ('uid-1', 'jobs', 'train-0', 'Published', 'Unhealthy', 'DeviceUnhealthy',
  'gpu-0', 1800000000000, 1800000001000, NULL, NULL, '');
INSERT INTO allocations VALUES ('uid-1', 'train', 'gpus', 'req', 1, '', 'claim', 1800000000000,
  NULL);
INSERT INTO transitions VALUES (1, 1800000000500, 1, 'Unknown', 'Healthy', '', '', '/dra.sock');
INSERT INTO transitions VALUES (2, 1800000001000, 1, 'Healthy', 'Unhealthy', '', 'hot',
  '/dra.sock');
INSERT INTO alive VALUES (1, 'boot-1', 5000000000, 1800000002000);
PRAGMA user_version = 1;
)sql";

TEST(SchemaTest, FileOfVersion1KeepsStateAndHistory) {
  const TempFolder folder;
  const auto path = folder / "health.db";
  RunSql(path, kVersion1File);
  auto store = OpenStore(path);
  ASSERT_TRUE(store);
  const auto state = store->Load();
  ASSERT_TRUE(Succeeded(state));
  ASSERT_THAT(state->devices, SizeIs(1));
  EXPECT_EQ(state->devices[0].key, Gpu("gpu-0"));
  EXPECT_EQ(state->devices[0].health.health, Health::kUnhealthy);
  EXPECT_EQ(state->devices[0].health.since, At(1));
  EXPECT_THAT(state->drivers, SizeIs(1));
  ASSERT_THAT(state->pods, SizeIs(1));
  EXPECT_EQ(state->pods[0].field, FieldState::kOwn) << "was called Published";
  ASSERT_THAT(state->allocations, SizeIs(1));
  EXPECT_EQ(state->allocations[0].last, std::nullopt);
  ASSERT_TRUE(state->alive);
  EXPECT_EQ(state->alive->boot, BootTime{std::chrono::seconds{5}});
  EXPECT_TRUE(
      Succeeded(store->Apply(Writes{Change(Gpu("gpu-0"), Health::kUnhealthy, Health::kHealthy, 3),
                                    RunOf("uid-1", 0, 3), AbsenceRecord{At(2), At(3)}})));
  store.reset();
  EXPECT_EQ(RunSql(path, "SELECT group_concat(to_health) FROM transitions"),
            "Healthy,Unhealthy,Healthy");
  EXPECT_EQ(RunSql(path, "PRAGMA user_version"), std::to_string(schema::NewestVersion()));
}

// The order of steps and what a failing one leaves, on steps of the test's own.
class MigrateTest : public testing::Test {
 protected:
  sql::Outcome<void> Migrate(std::span<const schema::Migration> steps) {
    auto database = sql::Database::Open(path_, sql::Database::Mode::kWrite);
    return schema::Migrate(*database, steps);
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "any.db";
};

constexpr const char* kMakeTable = "CREATE TABLE log (text TEXT)";
constexpr const char* kAddColumn =
    "ALTER TABLE log ADD COLUMN length INTEGER; UPDATE log SET length = length(text)";
constexpr const char* kWrong = "ALTER TABLE log ADD COLUMN more TEXT; UPDATE nothing SET a = 1";

TEST_F(MigrateTest, RunsOnlyTheStepsThatAreMissing) {
  ASSERT_TRUE(Migrate(std::array{kMakeTable}));
  RunSql(path_, "INSERT INTO log VALUES ('four')");
  ASSERT_TRUE(Migrate(std::array{kMakeTable, kAddColumn}));
  EXPECT_EQ(RunSql(path_, "PRAGMA user_version"), "2");
  EXPECT_EQ(RunSql(path_, "SELECT length FROM log WHERE text = 'four'"), "4");
  ASSERT_TRUE(Migrate(std::array{kMakeTable, kAddColumn})) << "nothing is left to do";
}

TEST_F(MigrateTest, FailingStepLeavesTheFileAtItsOldVersion) {
  ASSERT_TRUE(Migrate(std::array{kMakeTable}));
  EXPECT_FALSE(Migrate(std::array{kMakeTable, kAddColumn, kWrong}));
  EXPECT_EQ(RunSql(path_, "PRAGMA user_version"), "1");
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM pragma_table_info('log')"), "1");
}

}  // namespace
}  // namespace dra_health

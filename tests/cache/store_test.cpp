#include "cache/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cache/opened_store.h"
#include "tests/cache/raw_sql.h"
#include "tests/cache/records.h"
#include "tests/cache/sync_counter.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class StoreTest : public testing::Test {
 protected:
  void Apply(const Writes& writes) { ASSERT_TRUE(Succeeded(store_->Apply(writes))); }

  // What the next agent would find.
  StoredState Reopened() {
    store_.reset();
    store_ = OpenStore(path_);
    auto state = store_->Load();
    EXPECT_TRUE(Succeeded(state));
    return state.value_or(StoredState{});
  }

  std::string Sql(const std::string& script) { return RunSql(path_, script); }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
  std::unique_ptr<Store> store_ = OpenStore(path_);
};

TEST_F(StoreTest, NewStoreIsEmpty) {
  const StoredState state = Reopened();
  EXPECT_FALSE(state.alive);
  EXPECT_THAT(state.devices, IsEmpty());
  EXPECT_THAT(state.drivers, IsEmpty());
  EXPECT_THAT(state.pods, IsEmpty());
  EXPECT_THAT(state.allocations, IsEmpty());
}

TEST_F(StoreTest, DeviceComesBackWhole) {
  const DeviceRecord written = Device(Gpu("gpu-0"), Health::kUnknown, 7);
  Apply({written});
  const auto devices = Reopened().devices;
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_EQ(devices[0].key, written.key);
  EXPECT_EQ(devices[0].health, written.health);
  EXPECT_EQ(devices[0].lease, written.lease);
  EXPECT_EQ(devices[0].driver_time, written.driver_time);
}

TEST_F(StoreTest, NamesWithSlashesAreKeptApart) {
  Apply(
      {Device({"d", "a/b", "c"}, Health::kHealthy), Device({"d", "a", "b/c"}, Health::kUnhealthy)});
  EXPECT_THAT(Reopened().devices, SizeIs(2));
}

TEST_F(StoreTest, EmptyAndForeignTextsComeBackAsTheyWere) {
  DeviceRecord record = Device({"d", "p", "gpu-\xC3\xA4"}, Health::kHealthy);
  record.health.message = std::string("nul\0inside", 10);
  Apply({record, Device({"d", "", ""}, Health::kHealthy)});
  const auto devices = Reopened().devices;
  ASSERT_THAT(devices, SizeIs(2));
  const auto named = std::ranges::find(devices, record.key, &DeviceRecord::key);
  ASSERT_NE(named, devices.end());
  EXPECT_EQ(named->health.message, record.health.message);
}

TEST_F(StoreTest, CdiIdsComeBackAndTheNewestStands) {
  Apply({CdiIdRecord{Gpu("gpu-0"), "example.com/gpu=old"}});
  Apply({CdiIdRecord{Gpu("gpu-0"), "example.com/gpu=0"}, Device(Gpu("gpu-1"), Health::kHealthy)});
  const auto ids = Reopened().cdi_ids;
  ASSERT_THAT(ids, SizeIs(1));
  EXPECT_EQ(ids[0].key, Gpu("gpu-0"));
  EXPECT_EQ(ids[0].cdi_id, "example.com/gpu=0");
}

TEST_F(StoreTest, DriverComesBackWhole) {
  const DriverRecord written = SomeDriver("gpu.example.com", DriverState::kStreaming);
  Apply({written});
  const auto drivers = Reopened().drivers;
  ASSERT_THAT(drivers, SizeIs(1));
  EXPECT_EQ(drivers[0].name, written.name);
  EXPECT_EQ(drivers[0].state, written.state);
  EXPECT_EQ(drivers[0].endpoint, written.endpoint);
  EXPECT_EQ(drivers[0].service, written.service);
  EXPECT_EQ(drivers[0].since, written.since);
  EXPECT_EQ(drivers[0].streams_opened, 3);
  EXPECT_EQ(drivers[0].streams_ended, 2);
  EXPECT_EQ(drivers[0].last_error, written.last_error);
}

TEST_F(StoreTest, PodComesBackWhole) {
  PodRecord written = SomePod("uid-1", "train-0");
  written.last_published = At(5);
  written.ended = At(9);
  written.last_error = "403";
  PodRecord bare = SomePod("uid-2", "train-1");
  bare.condition.reset();
  Apply({written, bare});
  const auto pods = Reopened().pods;
  ASSERT_THAT(pods, SizeIs(2));
  EXPECT_EQ(pods[0].namespace_name, "jobs");
  EXPECT_EQ(pods[0].name, "train-0");
  EXPECT_EQ(pods[0].field, FieldState::kOwn);
  EXPECT_EQ(pods[0].condition, Health::kHealthy);
  EXPECT_EQ(pods[0].reason, "AllDevicesHealthy");
  EXPECT_EQ(pods[0].message, "fine");
  EXPECT_EQ(pods[0].first_seen, At(0));
  EXPECT_EQ(pods[0].last_published, At(5));
  EXPECT_EQ(pods[0].ended, At(9));
  EXPECT_EQ(pods[0].deleted, std::nullopt);
  EXPECT_EQ(pods[0].last_error, "403");
  EXPECT_EQ(pods[1].condition, std::nullopt);
  EXPECT_EQ(pods[1].last_published, std::nullopt);
}

TEST_F(StoreTest, AllocationComesBackWhole) {
  AllocationRecord written = SomeAllocation("uid-1", Gpu("gpu-0"), 3);
  written.share_id = "share";
  Apply({written});
  const auto allocations = Reopened().allocations;
  ASSERT_THAT(allocations, SizeIs(1));
  EXPECT_EQ(allocations[0].pod_uid, "uid-1");
  EXPECT_EQ(allocations[0].container, "train");
  EXPECT_EQ(allocations[0].pod_claim, "gpus");
  EXPECT_EQ(allocations[0].claim, "claim-of-uid-1");
  EXPECT_EQ(allocations[0].request, "req");
  EXPECT_EQ(allocations[0].key, Gpu("gpu-0"));
  EXPECT_EQ(allocations[0].share_id, "share");
  EXPECT_EQ(allocations[0].from, At(3));
  EXPECT_EQ(allocations[0].to, std::nullopt);
  EXPECT_EQ(allocations[0].last, std::nullopt);
  written.last = {{Health::kUnknown, UnknownReason::kLeaseExpired, "silent", At(5)}, false, true};
  Apply({written});
  EXPECT_EQ(Reopened().allocations[0].last, written.last);
}

TEST_F(StoreTest, RunsOfContainersComeBackWholeTheLastTwoOfEachContainer) {
  ContainerRecord killed = RunOf("uid-1", 1, 10, 20, 137);
  killed.kind = ContainerKind::kSidecar;
  killed.run.started.reset();
  killed.run.signal = 9;
  ContainerRecord other = RunOf("uid-1", 0, 1);
  other.container = "other";
  Apply(
      {SomePod("uid-1", "train-0"), RunOf("uid-1", 0, 1, 9), killed, RunOf("uid-1", 2, 30), other});
  EXPECT_THAT(Reopened().containers, testing::ElementsAre(other, killed, RunOf("uid-1", 2, 30)));
}

TEST_F(StoreTest, TheNewestWordOfARunStands) {
  Apply({SomePod("uid-1", "train-0"), RunOf("uid-1", 0, 1)});
  Apply({RunOf("uid-1", 0, 1, 9, 1)});
  EXPECT_THAT(Reopened().containers, testing::ElementsAre(RunOf("uid-1", 0, 1, 9, 1)));
}

TEST_F(StoreTest, RunsOfDeletedPodsAreHistoryOnly) {
  PodRecord gone = SomePod("uid-1", "train-0");
  gone.deleted = At(20);
  Apply({gone, RunOf("uid-1", 0, 1, 9)});
  EXPECT_THAT(Reopened().containers, IsEmpty());
  EXPECT_EQ(Sql("SELECT count(*) FROM containers"), "1");
}

TEST_F(StoreTest, LastAliveRecordIsKept) {
  Apply({Alive(1)});
  Apply({Alive(2)});
  const auto alive = Reopened().alive;
  ASSERT_TRUE(alive);
  EXPECT_EQ(alive->boot_id, "boot-1");
  EXPECT_EQ(alive->boot, BootTime{std::chrono::seconds{2}});
  EXPECT_EQ(alive->wall, At(2));
}

TEST_F(StoreTest, SameKeyReplaces) {
  Apply({Device(Gpu("gpu-0"), Health::kHealthy), SomeDriver("d", DriverState::kConnecting),
         SomePod("uid-1", "old"), SomeAllocation("uid-1", Gpu("gpu-0"), 1)});
  Apply({Device(Gpu("gpu-0"), Health::kUnhealthy), SomeDriver("d", DriverState::kGone),
         SomePod("uid-1", "new"), SomeAllocation("uid-1", Gpu("gpu-0"), 2)});
  const StoredState state = Reopened();
  ASSERT_THAT(state.devices, SizeIs(1));
  EXPECT_EQ(state.devices[0].health.health, Health::kUnhealthy);
  ASSERT_THAT(state.drivers, SizeIs(1));
  EXPECT_EQ(state.drivers[0].state, DriverState::kGone);
  ASSERT_THAT(state.pods, SizeIs(1));
  EXPECT_EQ(state.pods[0].name, "new");
  ASSERT_THAT(state.allocations, SizeIs(1));
  EXPECT_EQ(state.allocations[0].from, At(2));
}

TEST_F(StoreTest, OneDeviceUnderTwoShareIdsIsTwoAllocations) {
  AllocationRecord other = SomeAllocation("uid-1", Gpu("gpu-0"), 1);
  other.share_id = "other";
  Apply({SomeAllocation("uid-1", Gpu("gpu-0"), 1), other});
  EXPECT_THAT(Reopened().allocations, SizeIs(2));
}

TEST_F(StoreTest, ForgettingADeviceKeepsItsHistory) {
  Apply({Device(Gpu("gpu-0"), Health::kHealthy),
         Change(Gpu("gpu-0"), Health::kUnknown, Health::kHealthy, 1)});
  Apply({ForgetDevice{Gpu("gpu-0")}, ForgetDevice{Gpu("never-seen")}});
  EXPECT_THAT(Reopened().devices, IsEmpty());
  store_.reset();
  EXPECT_EQ(Sql("SELECT count(*) FROM transitions"), "1");
}

TEST_F(StoreTest, EndingAPodsAllocationsLeavesOtherPodsAndEarlierEndsAlone) {
  AllocationRecord earlier = SomeAllocation("uid-1", Gpu("gpu-1"), 1);
  earlier.to = At(2);
  Apply({SomeAllocation("uid-1", Gpu("gpu-0"), 1), earlier,
         SomeAllocation("uid-2", Gpu("gpu-0"), 1)});
  Apply({EndAllocations{"uid-1", At(9)}});
  const auto open = Reopened().allocations;
  ASSERT_THAT(open, SizeIs(1));
  EXPECT_EQ(open[0].pod_uid, "uid-2");
  store_.reset();
  EXPECT_EQ(Sql("SELECT group_concat(until_ms) FROM (SELECT until_ms FROM allocations"
                " WHERE pod_uid = 'uid-1' ORDER BY until_ms)"),
            "1800000002000,1800000009000");
}

TEST_F(StoreTest, DeletedPodIsNotLoadedButStillThere) {
  PodRecord pod = SomePod("uid-1", "train-0");
  pod.deleted = At(5);
  Apply({pod});
  EXPECT_THAT(Reopened().pods, IsEmpty());
  store_.reset();
  EXPECT_EQ(Sql("SELECT name FROM pods"), "train-0");
}

TEST_F(StoreTest, EveryTransitionIsKeptInOrder) {
  Apply({Change(Gpu("gpu-0"), Health::kUnknown, Health::kHealthy, 1),
         Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 1),
         Change(Gpu("gpu-0"), Health::kUnhealthy, Health::kHealthy, 1)});
  store_.reset();
  EXPECT_EQ(Sql("SELECT group_concat(to_health) FROM (SELECT * FROM transitions ORDER BY id)"),
            "Healthy,Unhealthy,Healthy");
}

TEST_F(StoreTest, NamesOfANewerProgramAreReadAsTheLeastThatCanBeSaid) {
  Apply({Device(Gpu("gpu-0"), Health::kHealthy), SomeDriver("d", DriverState::kStreaming),
         SomePod("uid-1", "train-0")});
  store_.reset();
  Sql("UPDATE devices SET health = 'Degraded', reason = 'Worn';"
      "UPDATE drivers SET state = 'Dozing';"
      "UPDATE pods SET field = 'Shared', condition = 'Degraded';");
  store_ = OpenStore(path_);
  const StoredState state = Reopened();
  ASSERT_THAT(state.devices, SizeIs(1));
  EXPECT_EQ(state.devices[0].health.health, Health::kUnknown);
  EXPECT_EQ(state.devices[0].health.reason, UnknownReason::kNeverReported);
  EXPECT_EQ(state.drivers[0].state, DriverState::kConnecting);
  EXPECT_EQ(state.pods[0].field, FieldState::kPending);
  EXPECT_EQ(state.pods[0].condition, Health::kUnknown);
}

TEST_F(StoreTest, PruneRemovesWhatIsOlderAndOver) {
  PodRecord old_pod = SomePod("old", "old");
  old_pod.deleted = At(10);
  PodRecord recent_pod = SomePod("recent", "recent");
  recent_pod.deleted = At(30);
  AllocationRecord ended = SomeAllocation("recent", Gpu("gpu-1"), 1);
  ended.to = At(10);
  Apply({Device(Gpu("gpu-0"), Health::kHealthy), old_pod, recent_pod, SomePod("live", "live"),
         SomeAllocation("old", Gpu("gpu-9"), 1), ended, SomeAllocation("recent", Gpu("gpu-2"), 1),
         Change(Gpu("gpu-9"), Health::kUnknown, Health::kHealthy, 10),
         Change(Gpu("gpu-0"), Health::kUnknown, Health::kHealthy, 30)});
  ASSERT_TRUE(Succeeded(store_->Prune(At(20), kNoLimit)));
  store_.reset();
  EXPECT_EQ(Sql("SELECT group_concat(uid) FROM pods"), "live,recent");
  EXPECT_EQ(Sql("SELECT count(*) FROM allocations"), "1");
  EXPECT_EQ(Sql("SELECT count(*) FROM transitions"), "1");
  EXPECT_EQ(Sql("SELECT group_concat(device) FROM (SELECT * FROM device_names ORDER BY device)"),
            "gpu-0,gpu-2")
      << "names nobody refers to go too";
}

TEST_F(StoreTest, PruneTakesRunsWithTheirPodAndOldOnesThatNoStatusTellsOf) {
  PodRecord gone = SomePod("gone", "gone");
  gone.deleted = At(10);
  Apply({gone, SomePod("live", "live"), RunOf("gone", 0, 1), RunOf("live", 0, 1, 2),
         RunOf("live", 1, 3, 4), RunOf("live", 2, 5, 6), AbsenceRecord{At(1), At(10)},
         AbsenceRecord{At(12), At(30)}});
  ASSERT_TRUE(Succeeded(store_->Prune(At(20), kNoLimit)));
  store_.reset();
  EXPECT_EQ(Sql("SELECT group_concat(pod_uid || restart) FROM containers"), "live1,live2");
  EXPECT_EQ(Sql("SELECT group_concat(until_ms - from_ms) FROM absences"), "18000");
}

TEST_F(StoreTest, PruneGivesSpaceBack) {
  Writes writes;
  for (int i = 0; i < 5000; ++i) {
    writes.emplace_back(Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, i));
  }
  Apply(writes);
  const std::int64_t before = std::stoll(Sql("PRAGMA page_count"));
  ASSERT_TRUE(Succeeded(store_->Prune(At(10'000), kNoLimit)));
  EXPECT_LT(std::stoll(Sql("PRAGMA page_count")), before / 4);
}

TEST_F(StoreTest, AboveItsSizeTheOldestHistoryGoesAndThePresentStays) {
  Writes writes{Device(Gpu("gpu-0"), Health::kHealthy), SomePod("live", "live"),
                SomeAllocation("live", Gpu("gpu-0"), 1)};
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    PodRecord gone = SomePod("gone-" + n, "gone-" + n);
    gone.deleted = At(i);
    writes.emplace_back(gone);
    writes.emplace_back(SomeAllocation(gone.uid, Gpu("gpu-1"), 0));
  }
  for (int i = 0; i < 25'000; ++i) {
    writes.emplace_back(Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, i));
  }
  Apply(writes);
  const std::uintmax_t whole = 4096 * std::stoull(Sql("PRAGMA page_count"));
  ASSERT_TRUE(Succeeded(store_->Prune(At(0), whole / 2)));
  store_.reset();
  EXPECT_LT(std::filesystem::file_size(path_), whole * 2 / 3) << "the space is given back";
  const int left = std::stoi(Sql("SELECT count(*) FROM transitions"));
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 20'000);
  EXPECT_EQ(Sql("SELECT max(at_ms) FROM transitions"),
            std::to_string(At(24'999).time_since_epoch().count()))
      << "the newest are left";
  EXPECT_EQ(Sql("SELECT count(*) FROM pods WHERE uid = 'gone-0'"), "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM allocations WHERE pod_uid = 'gone-0'"), "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM allocations WHERE pod_uid = 'live'"), "1");
  EXPECT_EQ(Sql("SELECT count(*) FROM devices"), "1");
}

TEST_F(StoreTest, APresentThatIsLargerThanTheLimitStaysWhole) {
  Writes writes;
  for (int i = 0; i < 5'000; ++i) {
    writes.emplace_back(Device(Gpu("gpu-" + std::to_string(i)), Health::kHealthy));
  }
  Apply(writes);
  ASSERT_TRUE(Succeeded(store_->Prune(At(0), 1)));
  EXPECT_THAT(Reopened().devices, SizeIs(5'000));
}

TEST_F(StoreTest, WriteWaitsForAnotherWriterOnlySoLongAndCanBeRepeated) {
  Apply({Alive(1)});
  Result<void> blocked;
  WhileWriting(path_, [&] { blocked = store_->Apply(Writes{Alive(2)}); });
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(blocked.error().message, testing::HasSubstr("locked"));
  Apply({Alive(3)});
  EXPECT_EQ(Reopened().alive->wall, At(3));
}

TEST_F(StoreTest, SignsOfLifeAndThePublicationsOfPodsAreNotSynced) {
  Apply({Alive(1)});
  const int before = SyncCount();
  Apply({Alive(2), PodRecord{.uid = "uid-1", .namespace_name = "default", .name = "train"}});
  EXPECT_EQ(SyncCount(), before);
}

TEST_F(StoreTest, HistoryIsSyncedBeforeApplyReturns) {
  Apply({Alive(1)});
  const int before = SyncCount();
  Apply({Alive(2), Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 1)});
  EXPECT_GT(SyncCount(), before);
  const int with_transition = SyncCount();
  Apply({RunOf("uid-1", 0, 1, 9, 137)});
  EXPECT_GT(SyncCount(), with_transition);
}

}  // namespace
}  // namespace dra_health

#include "cache/store_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cache/schema.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/raw_sql.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const DeviceKey kNic{.driver = "nic.example.com", .pool = "node-1", .device = "nic-0"};
const DeviceKey kSlashes{.driver = "nic.example.com", .pool = "rack/7", .device = "port/1"};

// Two drivers, four devices, three pods: one that runs, one that has ended and was deleted, and a
// new one under the deleted one's name.
Writes World() {
  PodRecord running = SomePod("uid-run", "train-0");
  running.condition = Health::kUnhealthy;
  PodRecord deleted = SomePod("uid-old", "train-1");
  deleted.ended = At(40);
  deleted.deleted = At(50);
  PodRecord renewed = SomePod("uid-new", "train-1");
  renewed.first_seen = At(60);
  renewed.condition = Health::kUnknown;
  AllocationRecord over = SomeAllocation("uid-old", Gpu("gpu-1"), 20);
  over.to = At(40);
  return {
      Alive(100),
      SomeDriver("gpu.example.com", DriverState::kStreaming),
      SomeDriver("nic.example.com", DriverState::kGone),
      Device(Gpu("gpu-0"), Health::kUnhealthy, 30),
      Device(Gpu("gpu-1"), Health::kHealthy, 35),
      Device(kNic, Health::kUnknown, 70),
      Device(kSlashes, Health::kHealthy, 1),
      running,
      deleted,
      renewed,
      SomeAllocation("uid-run", Gpu("gpu-0"), 10),
      SomeAllocation("uid-run", kNic, 10),
      over,
      SomeAllocation("uid-new", Gpu("gpu-1"), 60),
      RunOf("uid-old", 0, 20, 40, 137),
      AbsenceRecord{At(-30), At(-5)},
      Change(Gpu("gpu-1"), Health::kUnknown, Health::kHealthy, 5),
      Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 30),
      Change(Gpu("gpu-1"), Health::kHealthy, Health::kUnhealthy, 30),
      Change(Gpu("gpu-1"), Health::kUnhealthy, Health::kHealthy, 45),
      Change(kNic, Health::kHealthy, Health::kUnknown, 70),
  };
}

class StoreReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(World())));
    auto reader = StoreReader::Open(path_);
    ASSERT_TRUE(Succeeded(reader));
    reader_.emplace(std::move(*reader));
  }

  std::vector<std::string> Devices(const StoreFilter& filter) {
    std::vector<std::string> names;
    const auto found = reader_->Devices(filter).value();
    for (const auto& view : found) {
      names.push_back(view.record.key.device);
    }
    return names;
  }

  std::vector<std::string> Drivers(const StoreFilter& filter) {
    std::vector<std::string> names;
    const auto found = reader_->Drivers(filter).value();
    for (const auto& record : found) names.push_back(record.name);
    return names;
  }

  std::vector<std::string> Pods(const StoreFilter& filter) {
    std::vector<std::string> uids;
    const auto found = reader_->Pods(filter).value();
    for (const auto& view : found) uids.push_back(view.record.uid);
    return uids;
  }

  // "device@second" of each.
  std::vector<std::string> Transitions(const StoreFilter& filter, std::size_t limit = 0) {
    std::vector<std::string> names;
    const auto found = reader_->Transitions(filter, limit).value();
    for (const auto& record : found) {
      const auto second = std::chrono::duration_cast<std::chrono::seconds>(record.at - At(0));
      names.push_back(record.key.device + "@" + std::to_string(second.count()));
    }
    return names;
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
  std::optional<StoreReader> reader_;
};

TEST_F(StoreReaderTest, DevicesInOrderOfTheirNames) {
  EXPECT_THAT(Devices({}), ElementsAre("gpu-0", "gpu-1", "nic-0", "port/1"));
}

TEST_F(StoreReaderTest, DeviceComesWithThePodsThatHoldItNow) {
  const auto devices = reader_->Devices({.device = "gpu-1"});
  ASSERT_TRUE(Succeeded(devices));
  ASSERT_THAT(*devices, testing::SizeIs(1));
  EXPECT_EQ(devices->front().record.health.since, At(35));
  EXPECT_THAT(devices->front().pods, ElementsAre("jobs/train-1"));
}

TEST_F(StoreReaderTest, APodThatHasEndedHoldsItsDeviceNoMore) {
  PodRecord ended = SomePod("uid-run", "train-0");
  ended.ended = At(40);
  ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(Writes{
      ended, SomePod("uid-next", "train-2"), SomeAllocation("uid-next", Gpu("gpu-0"), 60)})));
  const auto devices = reader_->Devices({.device = "gpu-0"});
  ASSERT_TRUE(Succeeded(devices));
  EXPECT_THAT(devices->front().pods, ElementsAre("jobs/train-2"));
  EXPECT_THAT(devices->front().ended_pods, ElementsAre("jobs/train-0"));
}

TEST_F(StoreReaderTest, TransitionsOfAPodThatHasEndedGoOnForAWhile) {
  PodRecord ended = SomePod("uid-run", "train-0");
  ended.ended = At(40);
  const auto turned = [](int second) {
    return Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, second);
  };
  ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(Writes{ended, turned(640), turned(641)})));
  EXPECT_THAT(Transitions({.device = "gpu-0", .pod = "uid-run"}),
              ElementsAre("gpu-0@30", "gpu-0@640"));
}

TEST_F(StoreReaderTest, DevicesByEachFilter) {
  EXPECT_THAT(Devices({.driver = "nic.example.com"}), ElementsAre("nic-0", "port/1"));
  EXPECT_THAT(Devices({.health = Health::kUnhealthy}), ElementsAre("gpu-0"));
  EXPECT_THAT(Devices({.since = At(35)}), ElementsAre("gpu-1", "nic-0"));
  EXPECT_THAT(Devices({.pod = "jobs/train-0"}), ElementsAre("gpu-0", "nic-0"));
  EXPECT_THAT(Devices({.pod = "uid-old"}), ElementsAre("gpu-1")) << "held once";
  EXPECT_THAT(Devices({.driver = "nic.example.com", .pod = "train-0"}), ElementsAre("nic-0"));
}

TEST_F(StoreReaderTest, DeviceIsNamedInPartOrInFull) {
  EXPECT_THAT(Devices({.device = "gpu-0"}), ElementsAre("gpu-0"));
  EXPECT_THAT(Devices({.device = "node-1/gpu-0"}), ElementsAre("gpu-0"));
  EXPECT_THAT(Devices({.device = "gpu.example.com/node-1/gpu-0"}), ElementsAre("gpu-0"));
  EXPECT_THAT(Devices({.device = "nic.example.com/rack/7/port/1"}), ElementsAre("port/1"));
  EXPECT_THAT(Devices({.device = "port/1"}), ElementsAre("port/1"));
  EXPECT_THAT(Devices({.device = "gpu"}), IsEmpty()) << "not by a beginning";
  EXPECT_THAT(Devices({.device = "gpu-_"}), IsEmpty()) << "nor by a pattern";
}

TEST_F(StoreReaderTest, FilterTextsAreNotSql) {
  EXPECT_THAT(Devices({.device = "' OR 1=1 --"}), IsEmpty());
  EXPECT_THAT(Pods({.pod = "x') OR ('a'='a"}), IsEmpty());
}

TEST_F(StoreReaderTest, DriversByEachFilter) {
  EXPECT_THAT(Drivers({}), ElementsAre("gpu.example.com", "nic.example.com"));
  EXPECT_THAT(Drivers({.driver = "nic.example.com"}), ElementsAre("nic.example.com"));
  EXPECT_THAT(Drivers({.device = "gpu-0"}), ElementsAre("gpu.example.com"));
  EXPECT_THAT(Drivers({.pod = "train-1"}), ElementsAre("gpu.example.com"));
  EXPECT_THAT(Drivers({.health = Health::kUnknown}), ElementsAre("nic.example.com"));
  EXPECT_THAT(Drivers({.since = At(1)}), IsEmpty());
}

TEST_F(StoreReaderTest, PodsIncludeDeletedOnes) {
  EXPECT_THAT(Pods({}), ElementsAre("uid-run", "uid-old", "uid-new"));
}

TEST_F(StoreReaderTest, PodsByEachFilter) {
  EXPECT_THAT(Pods({.pod = "train-1"}), ElementsAre("uid-old", "uid-new"));
  EXPECT_THAT(Pods({.pod = "jobs/train-0"}), ElementsAre("uid-run"));
  EXPECT_THAT(Pods({.pod = "other/train-0"}), IsEmpty());
  EXPECT_THAT(Pods({.pod = "uid-old"}), ElementsAre("uid-old"));
  EXPECT_THAT(Pods({.driver = "nic.example.com"}), ElementsAre("uid-run"));
  EXPECT_THAT(Pods({.device = "gpu-1"}), ElementsAre("uid-old", "uid-new"));
  EXPECT_THAT(Pods({.health = Health::kUnknown}), ElementsAre("uid-new"));
  EXPECT_THAT(Pods({.since = At(50)}), ElementsAre("uid-old", "uid-new"));
}

TEST_F(StoreReaderTest, PodComesWithItsAllocationsEndedOnesToo) {
  const auto pods = reader_->Pods({.pod = "uid-old"});
  ASSERT_TRUE(Succeeded(pods));
  ASSERT_THAT(pods->front().allocations, testing::SizeIs(1));
  EXPECT_EQ(pods->front().allocations[0].key, Gpu("gpu-1"));
  EXPECT_EQ(pods->front().allocations[0].to, At(40));
}

TEST_F(StoreReaderTest, TransitionsOldestFirst) {
  EXPECT_THAT(Transitions({}),
              ElementsAre("gpu-1@5", "gpu-0@30", "gpu-1@30", "gpu-1@45", "nic-0@70"));
}

TEST_F(StoreReaderTest, LimitKeepsTheNewest) {
  EXPECT_THAT(Transitions({}, 2), ElementsAre("gpu-1@45", "nic-0@70"));
  EXPECT_THAT(Transitions({.device = "gpu-1"}, 2), ElementsAre("gpu-1@30", "gpu-1@45"));
}

TEST_F(StoreReaderTest, TransitionsByEachFilter) {
  EXPECT_THAT(Transitions({.driver = "nic.example.com"}), ElementsAre("nic-0@70"));
  EXPECT_THAT(Transitions({.device = "node-1/gpu-0"}), ElementsAre("gpu-0@30"));
  EXPECT_THAT(Transitions({.health = Health::kUnhealthy}), ElementsAre("gpu-0@30", "gpu-1@30"));
  EXPECT_THAT(Transitions({.since = At(45)}), ElementsAre("gpu-1@45", "nic-0@70"));
}

TEST_F(StoreReaderTest, TransitionsOfAPodAreThoseWhileItHeldTheDevice) {
  EXPECT_THAT(Transitions({.pod = "uid-old"}), ElementsAre("gpu-1@30"));
  EXPECT_THAT(Transitions({.pod = "uid-new"}), IsEmpty());
  EXPECT_THAT(Transitions({.pod = "train-0"}), ElementsAre("gpu-0@30", "nic-0@70"));
}

TEST_F(StoreReaderTest, InfoCountsAndDates) {
  const auto info = reader_->Info();
  ASSERT_TRUE(Succeeded(info));
  EXPECT_EQ(info->path, path_);
  EXPECT_EQ(info->schema_version, schema::NewestVersion());
  EXPECT_EQ(info->file_bytes, std::filesystem::file_size(path_));
  EXPECT_EQ(info->wal_bytes, 0U);
  EXPECT_EQ(info->devices, 4);
  EXPECT_EQ(info->drivers, 2);
  EXPECT_EQ(info->pods, 3);
  EXPECT_EQ(info->allocations, 4);
  EXPECT_EQ(info->transitions, 5);
  EXPECT_EQ(info->oldest_transition, At(5));
  EXPECT_EQ(info->newest_transition, At(70));
  ASSERT_TRUE(info->alive);
  EXPECT_EQ(info->alive->wall, At(100));
  EXPECT_EQ(info->writer, std::nullopt);
}

class DifferencesTest : public testing::Test {
 protected:
  static FieldDifference Of(const std::string& device, Health ours, std::optional<Health> theirs) {
    FieldDifference difference;
    difference.container = "train";
    difference.entry = "claim:gpus";
    difference.resource_id = ResourceId(Gpu(device));
    difference.ours = ours;
    difference.theirs = theirs;
    difference.our_message = "ours";
    difference.their_message = theirs ? "theirs" : "";
    difference.reason = "because";
    return difference;
  }
  void Apply(const Writes& writes) { ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(writes))); }
  std::vector<DifferenceView> Find(const StoreFilter& filter = {}) {
    auto reader = StoreReader::Open(path_);
    return reader->Differences(filter).value();
  }

  const TempFolder folder_;
  const std::filesystem::path path_ = folder_ / "health.db";
  const FieldDifference missing_ = Of("gpu-0", Health::kUnhealthy, std::nullopt);
  const FieldDifference other_ = Of("gpu-1", Health::kHealthy, Health::kUnknown);
};

TEST_F(DifferencesTest, OfAPodReplaceThoseBefore) {
  Apply({SomePod("uid-1", "train-0"),
         FieldDifferences{"uid-1", {{missing_, At(1)}, {other_, At(2)}}}});
  auto found = Find();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].difference, missing_);
  EXPECT_EQ(found[0].since, At(1));
  EXPECT_EQ(found[0].pod_name, "train-0");
  EXPECT_EQ(found[1].difference, other_);
  Apply({FieldDifferences{"uid-1", {{other_, At(2)}}}});
  EXPECT_EQ(Find().size(), 1u);
  Apply({FieldDifferences{"uid-1", {}}});
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(DifferencesTest, FiltersApply) {
  Apply({SomePod("uid-1", "train-0"), SomePod("uid-2", "train-1"),
         SomeAllocation("uid-1", Gpu("gpu-0"), 0), FieldDifferences{"uid-1", {{missing_, At(1)}}},
         FieldDifferences{"uid-2", {{other_, At(9)}}}});
  EXPECT_EQ(Find({.pod = "train-1"}).size(), 1u);
  EXPECT_EQ(Find({.health = Health::kUnknown}).at(0).pod_uid, "uid-2");
  EXPECT_EQ(Find({.since = At(5)}).at(0).pod_uid, "uid-2");
  EXPECT_EQ(Find({.device = "gpu-0"}).at(0).pod_uid, "uid-1");
}

TEST_F(StoreReaderTest, InfoTellsWhoWrites) {
  const auto store = OpenStore(path_);
  EXPECT_THAT(reader_->Info()->writer.value_or(""),
              HasSubstr("process " + std::to_string(::getpid())));
}

TEST(EmptyStoreReaderTest, EveryQueryFindsNothing) {
  const TempFolder folder;
  OpenStore(folder / "health.db");
  auto reader = StoreReader::Open(folder / "health.db");
  ASSERT_TRUE(Succeeded(reader));
  EXPECT_THAT(*reader->Devices({}), IsEmpty());
  EXPECT_THAT(*reader->Drivers({}), IsEmpty());
  EXPECT_THAT(*reader->Pods({}), IsEmpty());
  EXPECT_THAT(*reader->Transitions({}, 0), IsEmpty());
  const auto info = reader->Info();
  ASSERT_TRUE(Succeeded(info));
  EXPECT_FALSE(info->alive);
  EXPECT_FALSE(info->oldest_transition);
}

TEST_F(StoreReaderTest, VisitReachesEveryRecordOnce) {
  std::vector<std::size_t> kinds(std::variant_size_v<StoredRecord>);
  ASSERT_TRUE(Succeeded(reader_->Visit([&](const StoredRecord& record) {
    ++kinds[record.index()];
    return true;
  })));
  EXPECT_THAT(kinds, ElementsAre(1, 1, 2, 4, 3, 4, 1, 5)) << "in the variant's order";
}

TEST_F(StoreReaderTest, VisitPagesThroughALongHistoryInOrder) {
  Writes writes;
  for (int at = 0; at < 3500; ++at) {
    writes.emplace_back(Change(Gpu("gpu-7"), Health::kHealthy, Health::kUnhealthy, at));
  }
  ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(writes)));
  int next = 0;
  ASSERT_TRUE(Succeeded(reader_->Visit([&](const StoredRecord& record) {
    const auto* transition = std::get_if<Transition>(&record);
    if (transition != nullptr && transition->key.device == "gpu-7") {
      EXPECT_EQ(transition->at, At(next++));
    }
    return true;
  })));
  EXPECT_EQ(next, 3500);
}

TEST_F(StoreReaderTest, VisitEndsInADamagedHistoryThatLeadsBackToItself) {
  const std::size_t page =
      std::stoul(RunSql(path_, "SELECT rootpage FROM sqlite_schema WHERE name = 'transitions'"));
  std::string content = FileContent(path_);
  // The 5th cell of a leaf: its place stands after 8 bytes of header and 4 other places, in the
  // page; there are one byte of size and one of rowid, which is 5.
  const std::size_t start = (page - 1) * 4096;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(content.at(at)); };
  const std::size_t cell = start + (byte(start + 16) << 8U | byte(start + 17));
  ASSERT_EQ(content.at(cell + 1), 5);
  content.at(cell + 1) = 3;
  WriteFile(path_, content);
  const auto visited = reader_->Visit([](const StoredRecord&) { return true; });
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().kind, ErrorKind::kFatal);
  EXPECT_THAT(visited.error().message, HasSubstr("out of order"));
}

TEST_F(StoreReaderTest, VisitEndsWhenToldTo) {
  int visited = 0;
  ASSERT_TRUE(Succeeded(reader_->Visit([&](const StoredRecord&) { return ++visited < 4; })));
  EXPECT_EQ(visited, 4);
}

}  // namespace
}  // namespace dra_health

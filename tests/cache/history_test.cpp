#include "cache/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cache/store_reader.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DeviceKey kSlashes{.driver = "nic.example.com", .pool = "rack/7", .device = "port/1"};

PodRecord Deleted(const std::string& uid, const std::string& name, int seen, int deleted) {
  PodRecord pod = SomePod(uid, name);
  pod.first_seen = At(seen);
  pod.deleted = At(deleted);
  return pod;
}

Transition Turn(const DeviceKey& key, int at) {
  return Change(key, Health::kHealthy, Health::kUnhealthy, at);
}

// Three pods of one name, of which the one that is there is not the newest.
Writes World() {
  PodRecord present = SomePod("uid-2", "train-0");
  present.first_seen = At(2000);
  AllocationRecord before = SomeAllocation("uid-1", Gpu("gpu-0"), 1005);
  before.to = At(1100);
  return {Alive(5000),
          AbsenceRecord{At(200), At(300)},
          AbsenceRecord{At(100), At(150)},
          SomeDriver("gpu.example.com", DriverState::kStreaming),
          SomeDriver("nic.example.com", DriverState::kGone),
          Device(Gpu("gpu-0"), Health::kUnhealthy, 900),
          Device(Gpu("gpu-1"), Health::kHealthy),
          Deleted("uid-1", "train-0", 1005, 1100),
          present,
          Deleted("uid-3", "train-0", 3000, 3100),
          SomePod("uid-9", "other"),
          before,
          SomeAllocation("uid-2", Gpu("gpu-0"), 2000),
          SomeAllocation("uid-2", kSlashes, 2000),
          SomeAllocation("uid-9", Gpu("gpu-1"), 2000),
          RunOf("uid-1", 1, 1050, 1090, 1),
          RunOf("uid-1", 0, 1000, 1040, 1),
          RunOf("uid-2", 0, 2001),
          RunOf("uid-9", 0, 2001),
          Turn(Gpu("gpu-0"), 10),
          Turn(Gpu("gpu-0"), 900),
          Turn(Gpu("gpu-0"), 1002),
          Turn(Gpu("gpu-0"), 1700),
          Turn(Gpu("gpu-0"), 1701),
          Turn(Gpu("gpu-0"), 4000),
          Turn(Gpu("gpu-1"), 1050),
          Turn(kSlashes, 2500)};
}

class HistoryTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(World())));
    auto reader = StoreReader::Open(path_);
    ASSERT_TRUE(Succeeded(reader));
    reader_.emplace(std::move(*reader));
  }

  std::optional<PodHistory> Pod(std::optional<std::string> uid = std::nullopt,
                                const std::string& name = "train-0") {
    return reader_->HistoryOfPod({"jobs", name, std::move(uid)}).value();
  }

  static std::vector<WallTime> Times(const std::vector<Transition>& transitions) {
    std::vector<WallTime> times;
    for (const auto& transition : transitions) times.push_back(transition.at);
    return times;
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
  std::optional<StoreReader> reader_;
};

TEST_F(HistoryTest, ThePodThatIsThereGoesBeforeNewerOnesThatAreGone) {
  const auto history = Pod();
  ASSERT_TRUE(history);
  EXPECT_EQ(history->pod.uid, "uid-2");
  ASSERT_THAT(history->namesakes, SizeIs(2));
  EXPECT_EQ(history->namesakes[0].uid, "uid-3");
  EXPECT_EQ(history->namesakes[1].uid, "uid-1");
}

TEST_F(HistoryTest, AUidChoosesAndAnUnknownOneFindsNothing) {
  EXPECT_EQ(Pod("uid-1")->pod.uid, "uid-1");
  EXPECT_FALSE(Pod("uid-9")) << "it has another name";
  EXPECT_FALSE(Pod(std::nullopt, "train"));
  EXPECT_FALSE(reader_->HistoryOfPod({"default", "train-0", std::nullopt}).value());
}

TEST_F(HistoryTest, OnlyWhatBelongsToThePodIsRead) {
  const auto history = Pod();
  EXPECT_THAT(history->allocations, SizeIs(2));
  EXPECT_THAT(history->containers, ElementsAre(RunOf("uid-2", 0, 2001)));
  ASSERT_THAT(history->devices, SizeIs(1)) << "nothing is known of the other one now";
  EXPECT_EQ(history->devices[0].key, Gpu("gpu-0"));
  EXPECT_THAT(history->drivers, SizeIs(2));
  ASSERT_TRUE(history->presence.alive);
  EXPECT_THAT(history->presence.absences,
              ElementsAre(AbsenceRecord{At(100), At(150)}, AbsenceRecord{At(200), At(300)}));
}

TEST_F(HistoryTest, TransitionsAreThoseOfItsTimeTheAftermathAndTheLastOneBefore) {
  EXPECT_THAT(Times(Pod("uid-1")->transitions), ElementsAre(At(900), At(1002), At(1700)))
      << "from the first start, 1000, until ten minutes after it was gone";
  EXPECT_THAT(Times(Pod()->transitions), ElementsAre(At(1701), At(2500), At(4000)));
}

TEST_F(HistoryTest, RunsAreInTheirOrder) {
  EXPECT_THAT(Pod("uid-1")->containers,
              ElementsAre(RunOf("uid-1", 0, 1000, 1040, 1), RunOf("uid-1", 1, 1050, 1090, 1)));
}

TEST_F(HistoryTest, ADeviceIsFoundByEveryFormOfItsName) {
  const auto named = [&](const char* name) { return reader_->DevicesNamed(name).value(); };
  for (const char* name : {"port/1", "rack/7/port/1", "nic.example.com/rack/7/port/1"}) {
    EXPECT_THAT(named(name), ElementsAre(kSlashes)) << name;
  }
  EXPECT_THAT(named("gpu-7"), IsEmpty());
  ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(
      Writes{Device({"nic.example.com", "rack", "7/port/1"}, Health::kHealthy)})));
  EXPECT_THAT(named("nic.example.com/rack/7/port/1"), SizeIs(2));
}

TEST_F(HistoryTest, OfADeviceEveryPodAndEveryChangeIsRead) {
  const auto history = reader_->HistoryOfDevice(Gpu("gpu-0")).value();
  EXPECT_EQ(history.device->health.health, Health::kUnhealthy);
  EXPECT_EQ(history.driver->state, DriverState::kStreaming);
  ASSERT_THAT(history.pods, SizeIs(2));
  EXPECT_EQ(history.pods[0].uid, "uid-1");
  EXPECT_THAT(history.allocations, SizeIs(2));
  EXPECT_THAT(history.containers, SizeIs(3));
  EXPECT_THAT(Times(history.transitions),
              ElementsAre(At(10), At(900), At(1002), At(1700), At(1701), At(4000)));
  EXPECT_TRUE(history.presence.alive);
}

TEST_F(HistoryTest, ATransitionIsASignOfLife) {
  ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(
      Writes{Change(Gpu("gpu-0"), Health::kUnhealthy, Health::kHealthy, 5007)})));
  EXPECT_EQ(reader_->HistoryOfDevice(Gpu("gpu-0"))->presence.alive->wall, At(5007));
}

TEST_F(HistoryTest, OfAnUnknownDeviceThereIsNothing) {
  const auto history = reader_->HistoryOfDevice({"a", "b", "c"}).value();
  EXPECT_FALSE(history.device);
  EXPECT_THAT(history.pods, IsEmpty());
  EXPECT_THAT(history.transitions, IsEmpty());
}

}  // namespace
}  // namespace dra_health

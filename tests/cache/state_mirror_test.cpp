#include "cache/state_mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cache/records.h"

namespace dra_health {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

template <typename T>
std::vector<T> Of(const std::vector<StoreWrite>& writes) {
  std::vector<T> found;
  for (const StoreWrite& write : writes) {
    if (const auto* record = std::get_if<T>(&write)) found.push_back(*record);
  }
  return found;
}

class StateMirrorTest : public testing::Test {
 protected:
  void Merge(const Writes& writes) {
    for (const StoreWrite& write : writes) mirror_.Merge(write);
  }
  template <typename T>
  std::vector<T> Unwritten() const {
    return Of<T>(mirror_.Unwritten());
  }

  StateMirror mirror_{{.transitions = 3, .gone_pods = 2}};
};

TEST_F(StateMirrorTest, ManyChangesOfOneStateCostOneWrite) {
  for (int i = 0; i < 100; ++i) {
    Merge({Device(Gpu("gpu-0"), Health::kHealthy, i), SomeDriver("d", DriverState::kStreaming),
           Alive(i)});
  }
  EXPECT_THAT(mirror_.Unwritten(), SizeIs(3));
  EXPECT_EQ(Unwritten<DeviceRecord>()[0].health.since, At(99));
  EXPECT_EQ(Unwritten<AliveRecord>()[0].wall, At(99));
}

TEST_F(StateMirrorTest, WrittenIsNotWrittenAgain) {
  Merge({Device(Gpu("gpu-0"), Health::kHealthy), Alive(1), EndAllocations{"uid", At(1)},
         Change(Gpu("gpu-0"), Health::kUnknown, Health::kHealthy, 1)});
  mirror_.MarkWritten();
  EXPECT_THAT(mirror_.Unwritten(), IsEmpty());
  EXPECT_EQ(mirror_.unwritten(), 0U);
  Merge({Device(Gpu("gpu-1"), Health::kHealthy)});
  EXPECT_THAT(mirror_.Unwritten(), SizeIs(1));
}

TEST_F(StateMirrorTest, ForgottenDeviceIsForgottenInTheStore) {
  Merge({Device(Gpu("gpu-0"), Health::kHealthy), ForgetDevice{Gpu("gpu-0")}});
  EXPECT_THAT(Unwritten<DeviceRecord>(), IsEmpty());
  EXPECT_THAT(Unwritten<ForgetDevice>(), SizeIs(1));
}

TEST_F(StateMirrorTest, DeviceThatComesBackAfterItWasForgottenIsPut) {
  Merge({ForgetDevice{Gpu("gpu-0")}, Device(Gpu("gpu-0"), Health::kHealthy)});
  EXPECT_THAT(Unwritten<DeviceRecord>(), SizeIs(1));
  EXPECT_THAT(Unwritten<ForgetDevice>(), IsEmpty());
}

TEST_F(StateMirrorTest, EndingReachesAllocationsHereAndInTheStore) {
  Merge({SomeAllocation("uid-1", Gpu("gpu-0"), 1), SomeAllocation("uid-2", Gpu("gpu-0"), 1),
         EndAllocations{"uid-1", At(5)}});
  ASSERT_THAT(Unwritten<EndAllocations>(), SizeIs(1));
  const auto allocations = Unwritten<AllocationRecord>();
  ASSERT_THAT(allocations, SizeIs(2));
  EXPECT_EQ(allocations[0].to, At(5));
  EXPECT_EQ(allocations[1].to, std::nullopt);
}

TEST_F(StateMirrorTest, AllocationOpenedAfterAnEndStaysOpen) {
  Merge({EndAllocations{"uid-1", At(5)}, SomeAllocation("uid-1", Gpu("gpu-0"), 6)});
  const auto writes = mirror_.Unwritten();
  ASSERT_THAT(writes, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<EndAllocations>(writes[0])) << "or it would end the new one";
  EXPECT_EQ(Unwritten<AllocationRecord>()[0].to, std::nullopt);
}

TEST_F(StateMirrorTest, SecondEndDoesNotMoveTheFirst) {
  Merge({SomeAllocation("uid-1", Gpu("gpu-0"), 1), EndAllocations{"uid-1", At(5)},
         EndAllocations{"uid-1", At(9)}});
  EXPECT_EQ(Unwritten<EndAllocations>()[0].at, At(5));
  EXPECT_EQ(Unwritten<AllocationRecord>()[0].to, At(5));
}

TEST_F(StateMirrorTest, LostStoreGetsThePresentButNotThePast) {
  StoredState stored;
  stored.devices = {Device(Gpu("gpu-0"), Health::kHealthy)};
  stored.pods = {SomePod("uid-1", "train-0")};
  stored.allocations = {SomeAllocation("uid-1", Gpu("gpu-0"), 1)};
  stored.alive = Alive(1);
  mirror_.Adopt(stored);
  EXPECT_THAT(mirror_.Unwritten(), IsEmpty());
  PodRecord gone = SomePod("uid-1", "train-0");
  gone.deleted = At(9);
  const Writes writes{gone, EndAllocations{"uid-1", At(9)}};
  mirror_.MergeWritten(writes);
  mirror_.MarkLost({});
  EXPECT_THAT(Unwritten<DeviceRecord>(), SizeIs(1));
  EXPECT_THAT(Unwritten<AliveRecord>(), SizeIs(1));
  EXPECT_THAT(Unwritten<PodRecord>(), IsEmpty()) << "its record went with the store";
  EXPECT_THAT(Unwritten<AllocationRecord>(), IsEmpty());
}

TEST_F(StateMirrorTest, OfAPodsDifferencesTheNewestAreWrittenAndALostStoreGetsThemAgain) {
  FieldDifference difference;
  difference.entry = "claim:gpu";
  Merge({FieldDifferences{"uid-1", {}}, FieldDifferences{"uid-1", {{difference, At(1)}}},
         CdiIdRecord{Gpu("gpu-0"), "example.com/gpu=0"}});
  ASSERT_THAT(Unwritten<FieldDifferences>(), SizeIs(1));
  EXPECT_THAT(Unwritten<FieldDifferences>()[0].differences, SizeIs(1));
  EXPECT_THAT(Unwritten<CdiIdRecord>(), SizeIs(1));
  mirror_.MarkWritten();
  EXPECT_THAT(mirror_.Unwritten(), IsEmpty());
  mirror_.MarkLost({});
  EXPECT_THAT(Unwritten<FieldDifferences>(), SizeIs(1));
  EXPECT_THAT(Unwritten<CdiIdRecord>(), SizeIs(1));
}

TEST_F(StateMirrorTest, ALostStoreGetsTheRunsThatGoOnAndNoEndedOnes) {
  Merge({SomePod("uid-1", "train-0"), RunOf("uid-1", 0, 1), RunOf("uid-1", 0, 1, 5, 1),
         RunOf("uid-1", 1, 6), AbsenceRecord{At(1), At(2)}});
  EXPECT_THAT(Unwritten<ContainerRecord>(),
              testing::ElementsAre(RunOf("uid-1", 0, 1, 5, 1), RunOf("uid-1", 1, 6)));
  EXPECT_THAT(Unwritten<AbsenceRecord>(), SizeIs(1));
  EXPECT_EQ(mirror_.unwritten(), mirror_.Unwritten().size());
  mirror_.MarkWritten();
  EXPECT_THAT(mirror_.Unwritten(), IsEmpty());
  mirror_.MarkLost({});
  EXPECT_THAT(Unwritten<ContainerRecord>(), testing::ElementsAre(RunOf("uid-1", 1, 6)));
  mirror_.MarkWritten();
  PodRecord gone = SomePod("uid-1", "train-0");
  gone.deleted = At(9);
  const Writes writes{gone};
  mirror_.MergeWritten(writes);
  mirror_.MarkLost({});
  EXPECT_THAT(Unwritten<ContainerRecord>(), IsEmpty()) << "nobody will say how it ended";
}

TEST_F(StateMirrorTest, NewestTransitionsAreKeptInOrder) {
  for (int at = 0; at < 5; ++at) {
    Merge({Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, at)});
  }
  const auto kept = Unwritten<Transition>();
  ASSERT_THAT(kept, SizeIs(3));
  EXPECT_EQ(kept.front().at, At(2));
  EXPECT_EQ(kept.back().at, At(4));
  EXPECT_EQ(mirror_.dropped(), 2U);
}

TEST_F(StateMirrorTest, DeletedPodsAreBoundedTogetherWithTheirAllocations) {
  for (const std::string uid : {"uid-1", "uid-2", "uid-3"}) {
    PodRecord pod = SomePod(uid, uid);
    pod.deleted = At(1);
    Merge({SomeAllocation(uid, Gpu("gpu-0"), 1), EndAllocations{uid, At(1)}, RunOf(uid, 0, 1), pod,
           pod});
  }
  EXPECT_THAT(Unwritten<ContainerRecord>(), SizeIs(2));
  const auto pods = Unwritten<PodRecord>();
  ASSERT_THAT(pods, SizeIs(2));
  EXPECT_EQ(pods[0].uid, "uid-2");
  EXPECT_THAT(Unwritten<AllocationRecord>(), SizeIs(2));
  EXPECT_THAT(Unwritten<EndAllocations>(), SizeIs(2));
  EXPECT_EQ(mirror_.dropped(), 1U);
}

}  // namespace
}  // namespace dra_health

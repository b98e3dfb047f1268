#include "cache/store_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cache/fake_store.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using effect::Severity;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Error kDiskFull{ErrorKind::kRetry, "disk full"};
const Error kFileBroken{ErrorKind::kItem, "file broken"};

class StoreKeeperTest : public testing::Test {
 protected:
  void Start() {
    StoreKeeper::Options options;
    options.limits.transitions = 5;
    keeper_.emplace([this] { return disk_.Open(); }, clock_,
                    [this](const effect::Notice& notice) { notices_.push_back(notice); }, options);
    started_ = keeper_->Start();
  }

  Durability Apply(const Writes& writes) { return keeper_->Apply(writes); }
  void WaitForRetry() { clock_.Advance(std::chrono::minutes{1}); }

  // The kinds of what was written in the last batch that went through.
  template <typename T>
  std::vector<T> Written() const {
    std::vector<T> found;
    for (const StoreWrite& write : disk_.batches.back()) {
      if (const auto* record = std::get_if<T>(&write)) found.push_back(*record);
    }
    return found;
  }

  std::vector<Severity> Severities() const {
    std::vector<Severity> severities;
    for (const auto& notice : notices_) severities.push_back(notice.severity);
    return severities;
  }

  FakeClock clock_;
  FakeDisk disk_;
  std::vector<effect::Notice> notices_;
  std::optional<StoreKeeper> keeper_;
  Result<StoredState> started_;
};

TEST_F(StoreKeeperTest, HandsOnWhatTheStoreHolds) {
  disk_.content.devices = {Device(Gpu("gpu-0"), Health::kHealthy)};
  Start();
  ASSERT_TRUE(Succeeded(started_));
  EXPECT_THAT(started_->devices, SizeIs(1));
  EXPECT_TRUE(keeper_->durable());
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(StoreKeeperTest, WorkingStoreGetsEachBatchAsItIs) {
  Start();
  const Writes batch{Device(Gpu("gpu-0"), Health::kHealthy), Alive(1),
                     Change(Gpu("gpu-0"), Health::kUnknown, Health::kHealthy, 1)};
  EXPECT_EQ(Apply(batch), Durability::kDurable);
  ASSERT_THAT(disk_.batches, SizeIs(1));
  EXPECT_THAT(disk_.batches[0], SizeIs(3));
  EXPECT_EQ(keeper_->kept(), 0U);
}

TEST_F(StoreKeeperTest, BatchLargerThanTheLimitIsNoLossWhileTheStoreWorks) {
  Start();
  Writes batch;
  for (int at = 0; at < 100; ++at) {
    batch.emplace_back(Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, at));
  }
  EXPECT_EQ(Apply(batch), Durability::kDurable);
  EXPECT_THAT(disk_.batches.back(), SizeIs(100));
  EXPECT_EQ(keeper_->dropped(), 0U);
}

TEST_F(StoreKeeperTest, FailedBatchIsKeptAndWrittenWithTheNextAfterTheBackoff) {
  Start();
  disk_.apply_error = kDiskFull;
  EXPECT_EQ(Apply({Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 1)}),
            Durability::kKept);
  EXPECT_FALSE(keeper_->durable());
  EXPECT_EQ(keeper_->last_error(), "disk full");
  disk_.apply_error.reset();
  WaitForRetry();
  EXPECT_EQ(Apply({Change(Gpu("gpu-0"), Health::kUnhealthy, Health::kHealthy, 2)}),
            Durability::kDurable);
  const auto transitions = Written<Transition>();
  ASSERT_THAT(transitions, SizeIs(2));
  EXPECT_EQ(transitions[0].at, At(1));
  EXPECT_EQ(transitions[1].at, At(2));
  EXPECT_EQ(keeper_->kept(), 0U);
  EXPECT_TRUE(keeper_->durable());
}

TEST_F(StoreKeeperTest, FailingStoreIsNotTriedAgainBeforeTheBackoff) {
  Start();
  disk_.apply_error = kDiskFull;
  Apply({Alive(1)});
  const int tried = disk_.tried;
  for (int i = 0; i < 10; ++i) Apply({Alive(i)});
  EXPECT_EQ(disk_.tried, tried);
  WaitForRetry();
  Apply({Alive(11)});
  EXPECT_EQ(disk_.tried, tried + 1);
}

TEST_F(StoreKeeperTest, WallClockStepsDoNotDelayTheNextTry) {
  Start();
  disk_.apply_error = kDiskFull;
  Apply({Alive(1)});
  disk_.apply_error.reset();
  clock_.StepWall(-std::chrono::hours{24});
  WaitForRetry();
  EXPECT_EQ(Apply({Alive(2)}), Durability::kDurable);
}

TEST_F(StoreKeeperTest, OutageIsToldOnceAndItsEndToo) {
  Start();
  disk_.apply_error = kDiskFull;
  for (int i = 0; i < 5; ++i) {
    Apply({Device(Gpu("gpu-0"), Health::kHealthy)});
    WaitForRetry();
  }
  EXPECT_THAT(Severities(), ElementsAre(Severity::kError));
  EXPECT_THAT(notices_[0].text, HasSubstr("disk full"));
  disk_.apply_error.reset();
  Apply({});
  EXPECT_THAT(Severities(), ElementsAre(Severity::kError, Severity::kInfo));
  EXPECT_THAT(notices_[1].text, HasSubstr("300 s"));
  disk_.apply_error = kDiskFull;
  Apply({Alive(1)});
  EXPECT_THAT(Severities(), ElementsAre(Severity::kError, Severity::kInfo, Severity::kError));
}

TEST_F(StoreKeeperTest, OldestTransitionsAreDroppedAtTheLimitAndThatIsToldOnce) {
  Start();
  disk_.apply_error = kDiskFull;
  for (int at = 0; at < 8; ++at) {
    Apply({Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, at)});
  }
  EXPECT_EQ(keeper_->dropped(), 3U);
  EXPECT_THAT(Severities(), ElementsAre(Severity::kError, Severity::kError));
  disk_.apply_error.reset();
  WaitForRetry();
  Apply({Alive(1)});
  ASSERT_THAT(Written<Transition>(), SizeIs(5));
  EXPECT_EQ(Written<Transition>().front().at, At(3));
  EXPECT_THAT(notices_.back().text, HasSubstr("lost: 3"));
}

TEST_F(StoreKeeperTest, StoreThatCannotBeOpenedIsOpenedLaterAndLosesNothing) {
  disk_.open_error = kDiskFull;
  Start();
  ASSERT_TRUE(Succeeded(started_));
  EXPECT_THAT(started_->devices, IsEmpty());
  EXPECT_EQ(Apply({Device(Gpu("gpu-0"), Health::kUnhealthy)}), Durability::kKept);
  EXPECT_THAT(Severities(), ElementsAre(Severity::kError));
  disk_.open_error.reset();
  WaitForRetry();
  EXPECT_EQ(Apply({Alive(1)}), Durability::kDurable);
  EXPECT_THAT(Written<DeviceRecord>(), SizeIs(1));
  EXPECT_THAT(Written<AliveRecord>(), SizeIs(1));
}

TEST_F(StoreKeeperTest, DevicesOnlyALateStoreKnowsAreForgottenForTheyAreNotTrueNow) {
  disk_.open_error = kDiskFull;
  disk_.content.devices = {Device(Gpu("gpu-0"), Health::kHealthy),
                           Device(Gpu("gpu-1"), Health::kHealthy)};
  Start();
  Apply({Device(Gpu("gpu-0"), Health::kUnhealthy)});
  disk_.open_error.reset();
  WaitForRetry();
  Apply({Alive(1)});
  ASSERT_THAT(Written<ForgetDevice>(), SizeIs(1));
  EXPECT_EQ(Written<ForgetDevice>()[0].key, Gpu("gpu-1"));
}

TEST_F(StoreKeeperTest, StoreThatCannotBeReadIsAnotherTimesMatter) {
  disk_.load_error = kDiskFull;
  Start();
  ASSERT_TRUE(Succeeded(started_));
  disk_.load_error.reset();
  WaitForRetry();
  EXPECT_EQ(Apply({Alive(1)}), Durability::kDurable);
  EXPECT_EQ(disk_.opened, 2);
}

TEST_F(StoreKeeperTest, StoreHeldByAnotherAgentEndsTheStart) {
  disk_.open_error = Error{ErrorKind::kFatal, "held"};
  Start();
  ASSERT_FALSE(started_);
  EXPECT_EQ(started_.error().kind, ErrorKind::kFatal);
}

TEST_F(StoreKeeperTest, FileMovedAsideAtTheStartIsToldAndCounted) {
  disk_.moved_aside = "/health.db.broken-1";
  Start();
  EXPECT_THAT(Severities(), ElementsAre(Severity::kWarning));
  EXPECT_THAT(notices_[0].text, HasSubstr("/health.db.broken-1"));
  EXPECT_THAT(notices_[0].text, HasSubstr("it was noise"));
  EXPECT_EQ(keeper_->lost_files(), 1U);
}

TEST_F(StoreKeeperTest, BrokenFileIsReplacedAtOnceAndGetsThePresentStateAgain) {
  disk_.content.devices = {Device(Gpu("from-before"), Health::kHealthy)};
  disk_.content.pods = {SomePod("uid-1", "train-0")};
  Start();
  Apply({Device(Gpu("gpu-0"), Health::kHealthy), SomeDriver("d", DriverState::kStreaming),
         SomeAllocation("uid-1", Gpu("gpu-0"), 1), Alive(1)});
  disk_.content = {};
  // The next store works: only the one that is open now is broken.
  disk_.apply_error = kFileBroken;
  disk_.on_open = [this] { disk_.apply_error.reset(); };
  EXPECT_EQ(Apply({Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 2)}),
            Durability::kDurable);
  EXPECT_EQ(disk_.opened, 2);
  EXPECT_EQ(keeper_->lost_files(), 1U);
  EXPECT_THAT(Written<DeviceRecord>(), SizeIs(2));
  EXPECT_THAT(Written<DriverRecord>(), SizeIs(1));
  EXPECT_THAT(Written<PodRecord>(), SizeIs(1));
  EXPECT_THAT(Written<AllocationRecord>(), SizeIs(1));
  EXPECT_THAT(Written<AliveRecord>(), SizeIs(1));
  EXPECT_THAT(Written<Transition>(), SizeIs(1));
}

TEST_F(StoreKeeperTest, FileThatBreaksEveryTimeIsNotReopenedWithoutEnd) {
  Start();
  disk_.apply_error = kFileBroken;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Apply({Alive(i)}), Durability::kKept);
  EXPECT_EQ(disk_.opened, 2) << "the start, and one attempt at once";
}

TEST_F(StoreKeeperTest, FileFoundBrokenWhileItIsFirstReadIsReplaced) {
  disk_.load_error = kFileBroken;
  disk_.on_open = [this] {
    if (disk_.opened == 2) disk_.load_error.reset();
  };
  Start();
  ASSERT_TRUE(Succeeded(started_));
  EXPECT_TRUE(keeper_->durable());
  EXPECT_EQ(keeper_->lost_files(), 1U);
}

TEST_F(StoreKeeperTest, PruneGoesToAWorkingStoreOnly) {
  Start();
  keeper_->Prune(At(5), kNoLimit);
  EXPECT_EQ(disk_.pruned, At(5));
  disk_.prune_error = kDiskFull;
  keeper_->Prune(At(6), kNoLimit);
  EXPECT_FALSE(keeper_->durable());
  disk_.prune_error.reset();
  keeper_->Prune(At(7), kNoLimit);
  EXPECT_EQ(disk_.pruned, At(5));
  WaitForRetry();
  EXPECT_EQ(Apply({Alive(1)}), Durability::kDurable);
}

// The same with real files.
TEST(StoreKeeperOnDiskTest, DeletedFileIsMadeAgainWithThePresentState) {
  const TempFolder folder;
  const auto path = folder / "health.db";
  const FakeClock clock;
  std::optional<StoreKeeper> keeper;
  keeper.emplace([&] { return Store::Open(path); }, clock, [](const effect::Notice&) {});
  ASSERT_TRUE(Succeeded(keeper->Start()));
  keeper->Apply(Writes{Device(Gpu("gpu-0"), Health::kHealthy), SomePod("uid-1", "train-0")});
  for (const auto& file : FolderContent(folder.path())) {
    std::filesystem::remove(folder / file.first);
  }
  EXPECT_EQ(keeper->Apply(Writes{Device(Gpu("gpu-1"), Health::kUnhealthy)}), Durability::kDurable);
  keeper.reset();
  const auto state = OpenStore(path)->Load();
  ASSERT_TRUE(Succeeded(state));
  EXPECT_THAT(state->devices, SizeIs(2));
  EXPECT_THAT(state->pods, SizeIs(1));
}

}  // namespace
}  // namespace dra_health

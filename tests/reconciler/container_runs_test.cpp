// Which runs of containers are written, and when.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ContainerRunsTest : public testing::Test {
 protected:
  void SetUp() override {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}});
    plugin = world.Register();
    world.Report(plugin, {Says("gpu-0", Health::kHealthy)});
  }

  // The status tells of these runs of its first container.
  void Tell(std::vector<ContainerRun> runs) {
    world.ChangePod("uid-train", [&](Pod& pod) { pod.statuses[0].runs = std::move(runs); });
  }

  std::vector<ContainerRun> Written() {
    std::vector<ContainerRun> runs;
    for (const StoreWrite& write : world.writes) {
      if (const auto* record = std::get_if<ContainerRecord>(&write)) runs.push_back(record->run);
    }
    world.writes.clear();
    return runs;
  }

  ContainerRun Running(int restart) const {
    return {.restart = restart, .started = start_ + restart * 10s};
  }
  ContainerRun Ended(int restart, int code) const {
    ContainerRun run = Running(restart);
    run.ended = *run.started + 9s;
    run.exit_code = code;
    return run;
  }

  World world;
  PluginId plugin = 0;
  WallTime start_ = world.now().wall;
};

TEST_F(ContainerRunsTest, StartAndEndAreWrittenOnceEach) {
  world.AddPod({});
  EXPECT_THAT(Written(), IsEmpty());
  Tell({Running(0)});
  EXPECT_THAT(Written(), ElementsAre(Running(0)));
  for (int i = 0; i < 5; ++i) Tell({Running(0)});
  EXPECT_THAT(Written(), IsEmpty()) << "events that tell nothing new";
  Tell({Ended(0, 137)});
  EXPECT_THAT(Written(), ElementsAre(Ended(0, 137)));
  Tell({Ended(0, 137), Running(1)});
  EXPECT_THAT(Written(), ElementsAre(Running(1)));
}

TEST_F(ContainerRunsTest, ARunThatEndedBeforeThePodWasSeenIsWrittenToo) {
  Pod pod = World::MakePod({});
  pod.statuses[0].runs = {Ended(4, 1), Running(5)};
  world.PutPod(std::move(pod));
  EXPECT_THAT(Written(), ElementsAre(Ended(4, 1), Running(5)));
}

TEST_F(ContainerRunsTest, TheRecordSaysWhoseRunItIs) {
  Pod pod = World::MakePod({});
  pod.containers[0].kind = ContainerKind::kSidecar;
  pod.statuses[0].runs = {Running(0)};
  world.PutPod(std::move(pod));
  ASSERT_THAT(world.stored().containers, SizeIs(1));
  const ContainerRecord& record = world.stored().containers[0];
  EXPECT_EQ(record.pod_uid, "uid-train");
  EXPECT_EQ(record.container, "main");
  EXPECT_EQ(record.kind, ContainerKind::kSidecar);
}

TEST_F(ContainerRunsTest, AStatusThatSaysNothingForAWhileCostsNoSecondWrite) {
  world.AddPod({});
  Tell({Running(0)});
  Written();
  Tell({});
  Tell({Running(0)});
  EXPECT_THAT(Written(), IsEmpty());
}

TEST_F(ContainerRunsTest, ARunThatIsToldUnderTheNumberOfTheNextKeepsItsOwn) {
  const ContainerRun first = Ended(0, 1);
  world.AddPod({});
  Tell({first});
  Written();
  ContainerRun renumbered = first;
  renumbered.restart = 1;
  Tell({renumbered});
  EXPECT_THAT(Written(), IsEmpty()) << "the next one is made and does not run yet";
  const ContainerRun second{.restart = 1, .started = start_ + 20s};
  Tell({first, second});
  EXPECT_THAT(Written(), ElementsAre(second));
}

TEST_F(ContainerRunsTest, AFirstWrongNumberIsPutRight) {
  Pod pod = World::MakePod({});
  pod.statuses[0].runs = {Ended(0, 1)};
  pod.statuses[0].runs[0].restart = 1;
  world.PutPod(std::move(pod));
  Written();
  const ContainerRun second{.restart = 1, .started = start_ + 20s};
  Tell({Ended(0, 1), second});
  EXPECT_THAT(Written(), ElementsAre(Ended(0, 1), second)) << "which replaces the wrong row";
}

TEST_F(ContainerRunsTest, AnOlderRunThatIsToldAgainAfterTheLastOneWasLostIsNotNew) {
  const ContainerRun second{.restart = 1, .started = start_ + 20s};
  world.AddPod({});
  Tell({Ended(0, 1), second});
  Written();
  ContainerRun renumbered = Ended(0, 1);
  renumbered.restart = 1;
  Tell({renumbered});
  Tell({renumbered});
  EXPECT_THAT(Written(), IsEmpty());
}

TEST_F(ContainerRunsTest, RunsThatCouldNotBeStartedAreToldApartByTheirEnds) {
  world.AddPod({});
  const ContainerRun first{.restart = 0, .ended = start_, .exit_code = 128};
  const ContainerRun second{.restart = 1, .ended = start_ + 10s, .exit_code = 128};
  Tell({first});
  Tell({first, second});
  EXPECT_THAT(Written(), ElementsAre(first, second));
}

TEST_F(ContainerRunsTest, OfManyRestartsTheNewestStayKnown) {
  world.AddPod({});
  const auto run = [&](int number) {
    return ContainerRun{.restart = number,
                        .started = start_ + number * 20s,
                        .ended = start_ + number * 20s + 9s,
                        .exit_code = 1};
  };
  for (int i = 0; i < 50; ++i) Tell({run(i), run(i + 1)});
  EXPECT_THAT(Written(), SizeIs(51));
  for (int i = 0; i < 5; ++i) Tell({run(49), run(50)});
  EXPECT_THAT(Written(), IsEmpty());
}

TEST_F(ContainerRunsTest, ARestartOfTheAgentWritesOnlyWhatHappenedMeanwhile) {
  world.AddPod({});
  Tell({Ended(0, 1), Running(1)});
  Written();
  world.Restart();
  EXPECT_THAT(Written(), IsEmpty());
  Tell({Ended(1, 137), Running(2)});
  EXPECT_THAT(Written(), ElementsAre(Ended(1, 137), Running(2)));
}

TEST_F(ContainerRunsTest, ARunThatOnlyTheAnswerToAPatchShowsIsWritten) {
  world.hold_patches = true;
  world.AddPod({});
  Pod pod = world.pod();
  pod.statuses[0].runs = {Ended(0, 1), Running(1)};
  pod.resource_version = "1000";
  world.answer_instead = [&](const PodPatch& patch) {
    return event::PatchDone{.uid = patch.pod->uid,
                            .outcome = event::PatchOutcome::kApplied,
                            .answer = std::make_shared<const Pod>(pod)};
  };
  Written();
  world.AnswerPatches();
  EXPECT_THAT(Written(), ElementsAre(Ended(0, 1), Running(1)));
}

TEST_F(ContainerRunsTest, APodWithoutClaimsIsNotWrittenDown) {
  Pod pod = World::MakePod({"plain", "uid-plain", {}});
  pod.statuses[0].runs = {Running(0)};
  world.PutPod(std::move(pod));
  EXPECT_THAT(Written(), IsEmpty());
}

TEST(AbsenceTest, IsWrittenWhenNoAgentWasThereForLongerThanItsSignsOfLifeAreApart) {
  World world;
  const auto absences = [&] {
    std::vector<AbsenceRecord> found;
    for (const StoreWrite& write : world.writes) {
      if (const auto* record = std::get_if<AbsenceRecord>(&write)) found.push_back(*record);
    }
    return found;
  };
  world.Advance(60s);
  world.clock().Advance(20s);
  world.Restart();
  EXPECT_THAT(absences(), IsEmpty());
  const WallTime last = world.now().wall;
  world.clock().Advance(20001ms);
  world.Restart(/*reboot=*/true);
  EXPECT_THAT(absences(), ElementsAre(AbsenceRecord{last, last + 20001ms}));
}

}  // namespace
}  // namespace dra_health

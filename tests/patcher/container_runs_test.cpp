// What a pod's status tells of the runs of its containers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "patcher/pod_reader.h"
#include "tests/patcher/pod_json.h"

namespace dra_health {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

WallTime At(int seconds) {
  return *ParseRfc3339("2026-11-30T12:00:00Z") + std::chrono::seconds{seconds};
}

json Ended(int started, int ended, int code, const char* reason) {
  return {{"terminated",
           {{"exitCode", code},
            {"reason", reason},
            {"startedAt", FormatTime(At(started))},
            {"finishedAt", FormatTime(At(ended))},
            {"containerID", "containerd://1"}}}};
}

json Running(int started) { return {{"running", {{"startedAt", FormatTime(At(started))}}}}; }

std::vector<ContainerRun> RunsOf(const json& state, const json& last, int restart) {
  json pod = SamplePod();
  json& status = pod["status"]["containerStatuses"][0];
  status["state"] = state;
  status["lastState"] = last;
  status["restartCount"] = restart;
  return Read(pod)->statuses.at(0).runs;
}

TEST(ContainerRuns, AContainerThatRunsHasAStartAndNoEnd) {
  EXPECT_THAT(RunsOf(Running(5), json::object(), 0),
              ElementsAre(ContainerRun{.restart = 0, .started = At(5)}));
}

TEST(ContainerRuns, AContainerThatHasEndedHasBothAndItsCode) {
  const ContainerRun run{.started = At(5), .ended = At(9), .exit_code = 137, .reason = "OOMKilled"};
  EXPECT_THAT(RunsOf(Ended(5, 9, 137, "OOMKilled"), json::object(), 0), ElementsAre(run));
}

TEST(ContainerRuns, TheRunBeforeTheOneThatRunsHasTheCountBelow) {
  EXPECT_THAT(
      RunsOf(Running(20), Ended(5, 9, 1, "Error"), 3),
      ElementsAre(
          ContainerRun{
              .restart = 2, .started = At(5), .ended = At(9), .exit_code = 1, .reason = "Error"},
          ContainerRun{.restart = 3, .started = At(20)}));
}

TEST(ContainerRuns, WhileAContainerWaitsTheCountIsThatOfItsLastRun) {
  const json waiting = {{"waiting", {{"reason", "CrashLoopBackOff"}}}};
  const auto runs = RunsOf(waiting, Ended(5, 9, 1, "Error"), 3);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].restart, 3);
  EXPECT_THAT(RunsOf(waiting, json::object(), 0), IsEmpty()) << "it has not run yet";
}

TEST(ContainerRuns, ASignalIsToldWhereTheRuntimeTellsOne) {
  json state = Ended(5, 9, 137, "Error");
  state["terminated"]["signal"] = 9;
  EXPECT_EQ(RunsOf(state, json::object(), 0).at(0).signal, 9);
}

TEST(ContainerRuns, ARunThatCouldNotBeStartedHasNoStart) {
  json state = Ended(5, 9, 128, "StartError");
  state["terminated"]["startedAt"] = "1970-01-01T00:00:00Z";
  const auto runs = RunsOf(state, json::object(), 0);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].started, std::nullopt);
  EXPECT_EQ(runs[0].ended, At(9));
}

TEST(ContainerRuns, ARunWithoutTimesIsLeftOut) {
  json lost = Ended(5, 9, 137, "ContainerStatusUnknown");
  lost["terminated"]["startedAt"] = nullptr;
  lost["terminated"]["finishedAt"] = nullptr;
  EXPECT_THAT(RunsOf(json::object(), lost, 1), IsEmpty());
  EXPECT_THAT(RunsOf(Running(5), Ended(1, 2, 0, "Completed"), 0),
              ElementsAre(ContainerRun{.started = At(5)}))
      << "there is no run before the first";
}

TEST(ContainerRuns, InitContainersHaveThemToo) {
  json pod = SamplePod();
  pod["spec"]["initContainers"] = {{{"name", "prepare"}}};
  pod["status"]["initContainerStatuses"] = {
      {{"name", "prepare"}, {"restartCount", 0}, {"state", Ended(1, 2, 0, "Completed")}}};
  EXPECT_EQ(Read(pod)->statuses.at(1).runs.at(0).reason, "Completed");
}

TEST(ContainerRuns, AWrongTypeIsNamed) {
  json pod = SamplePod();
  pod["status"]["containerStatuses"][0]["restartCount"] = "three";
  EXPECT_THAT(ReadPod(pod).error().message,
              testing::HasSubstr("status.containerStatuses[0].restartCount is of type string"));
}

}  // namespace
}  // namespace dra_health

#include "explain/explain_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/explain/histories.h"

namespace dra_health {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Health kHealthy = Health::kHealthy;
constexpr Health kUnhealthy = Health::kUnhealthy;

// The pod was seen at 95, holds gpu-0 in its container "train", which ran from 100 to 200 and
// failed 12 s after the device.
PodHistory Failed() {
  PodHistory history;
  history.pod = SomePod("uid-1", "train-0");
  history.pod.first_seen = At(95);
  history.allocations = {SomeAllocation("uid-1", Gpu("gpu-0"), 96)};
  history.containers = {RunOf("uid-1", 0, 100, 200, 137)};
  history.devices = {Device(Gpu("gpu-0"), kUnhealthy, 188)};
  history.drivers = {SomeDriver("gpu.example.com", DriverState::kStreaming)};
  history.transitions = Turns("gpu-0", {{50, kHealthy}, {188, kUnhealthy, "Xid 79"}});
  history.presence.alive = Alive(1000);
  return history;
}

PodHistory Running() {
  PodHistory history = Failed();
  history.containers = {RunOf("uid-1", 0, 100)};
  return history;
}

Explanation Explain(const PodHistory& history) { return ExplainPod(history, At(1000)); }

std::vector<std::string> Said(const std::vector<TimelineMoment>& moments) {
  std::vector<std::string> said;
  for (const auto& moment : moments) {
    said.push_back(std::to_string((moment.at - At(0)).count() / 1000) + " " +
                   std::string(ToString(moment.kind)) + " " + moment.subject + " " + moment.text);
  }
  return said;
}

const Lane& LaneNamed(const Explanation& explanation, const std::string& name) {
  const auto found = std::ranges::find(explanation.lanes, name, &Lane::name);
  if (found != explanation.lanes.end()) return *found;
  ADD_FAILURE() << "no lane " << name;
  static const Lane kNone;
  return kNone;
}

std::optional<std::string> FactNamed(const Explanation& explanation, const std::string& name) {
  const auto found = std::ranges::find(explanation.facts, name, &Fact::name);
  return found == explanation.facts.end() ? std::nullopt : std::optional(found->value);
}

TEST(ExplainPodTest, TellsWhatHappenedInOrder) {
  PodHistory history = Failed();
  history.pod.ended = At(201);
  history.pod.deleted = At(260);
  history.presence.absences = {{At(120), At(150)}};
  const Explanation explanation = Explain(history);
  EXPECT_EQ(explanation.title, "Pod jobs/train-0");
  EXPECT_THAT(
      Said(explanation.moments),
      ElementsAre("95 Seen jobs/train-0 ",
                  "96 Allocated gpu.example.com/node-1/gpu-0 it was Healthy",
                  "100 Started container train ", "120 AgentLeft agent ", "150 AgentBack agent ",
                  "188 Turned gpu.example.com/node-1/gpu-0 from Healthy to Unhealthy: Xid "
                  "79",
                  "200 Ended container train with code 137 (Error)", "201 PodEnded jobs/train-0 ",
                  "260 PodDeleted jobs/train-0 "));
  EXPECT_TRUE(explanation.moments[6].bad);
  EXPECT_EQ(explanation.moments[5].health, kUnhealthy);
}

TEST(ExplainPodTest, TheVerdictIsAboutTheEnd) {
  const Explanation explanation = Explain(Failed());
  EXPECT_EQ(explanation.verdict.finding, Finding::kUnhealthyBefore);
  EXPECT_THAT(explanation.verdict.sentence, HasSubstr("12 s before container train ended"));
  EXPECT_THAT(explanation.earlier, IsEmpty());
}

TEST(ExplainPodTest, TheLastEndIsExplainedFirstThenTheEarlierOnes) {
  PodHistory history = Failed();
  history.containers = {RunOf("uid-1", 0, 100, 150, 1), RunOf("uid-1", 1, 160, 200, 2),
                        RunOf("uid-1", 2, 210, 300, 0), RunOf("uid-1", 3, 310)};
  const Explanation explanation = Explain(history);
  EXPECT_THAT(explanation.verdict.sentence, HasSubstr("code 0 (Completed)"));
  ASSERT_THAT(explanation.earlier, SizeIs(2));
  EXPECT_THAT(explanation.earlier[0].sentence, HasSubstr("ended with code 2"));
  EXPECT_EQ(explanation.earlier[0].finding, Finding::kUnhealthyBefore);
  EXPECT_EQ(explanation.earlier[1].finding, Finding::kUnhealthyAfter);
  EXPECT_EQ(FactNamed(explanation, "Container train"),
            "started 2027-01-15T08:05:10Z, running, restart 3");
}

TEST(ExplainPodTest, OfSeveralContainersTheOneThatFailedGoesFirstAndSidecarsLast) {
  PodHistory history = Failed();
  ContainerRecord other = RunOf("uid-1", 0, 100, 210, 0);
  other.container = "other";
  ContainerRecord proxy = RunOf("uid-1", 0, 100, 220, 143);
  proxy.container = "proxy";
  proxy.kind = ContainerKind::kSidecar;
  history.containers = {other, proxy, RunOf("uid-1", 0, 100, 200, 137)};
  for (const char* container : {"other", "proxy"}) {
    history.allocations.push_back(SomeAllocation("uid-1", Gpu("gpu-0"), 96));
    history.allocations.back().container = container;
  }
  const Explanation explanation = Explain(history);
  EXPECT_THAT(explanation.verdict.sentence, HasSubstr("container train ended with code 137"));
  ASSERT_THAT(explanation.earlier, SizeIs(2));
  EXPECT_THAT(explanation.earlier[0].sentence, HasSubstr("sidecar proxy"));
}

TEST(ExplainPodTest, ContainersWithoutDevicesAreShownAndNotJudged) {
  PodHistory history = Running();
  ContainerRecord other = RunOf("uid-1", 0, 100, 210, 1);
  other.container = "other";
  history.containers.insert(history.containers.begin(), other);
  const Explanation explanation = Explain(history);
  EXPECT_EQ(explanation.verdict.finding, Finding::kRunning);
  EXPECT_THAT(explanation.earlier, IsEmpty());
  EXPECT_THAT(LaneNamed(explanation, "container other").spans, SizeIs(1));
}

TEST(ExplainPodTest, AContainerHasOnlyItsOwnDevices) {
  PodHistory history = Failed();
  history.allocations[0].container = "other";
  history.allocations.push_back(SomeAllocation("uid-1", Gpu("gpu-1"), 96));
  const auto other = Turns("gpu-1", {{50, kHealthy}});
  history.transitions.insert(history.transitions.begin(), other.begin(), other.end());
  EXPECT_EQ(Explain(history).verdict.finding, Finding::kHealthy) << "gpu-0 was not its device";
}

TEST(ExplainPodTest, APodThatRuns) {
  const Explanation explanation = Explain(Running());
  EXPECT_EQ(explanation.verdict.finding, Finding::kRunning);
  EXPECT_THAT(explanation.verdict.sentence,
              HasSubstr("Container train is running; Unhealthy: gpu.example.com/node-1/gpu-0 for "
                        "13 min 32 s (Xid 79)"));
  EXPECT_EQ(FactNamed(explanation, "State"), "present");
  EXPECT_EQ(explanation.to, At(1000));
}

TEST(ExplainPodTest, AnInitContainerThatHasDoneItsWorkIsNoEnd) {
  PodHistory history = Running();
  ContainerRecord init = RunOf("uid-1", 0, 96, 99, 0);
  init.container = "prepare";
  init.kind = ContainerKind::kInit;
  history.allocations.push_back(history.allocations[0]);
  history.allocations.back().container = "prepare";
  history.containers.insert(history.containers.begin(), init);
  EXPECT_EQ(Explain(history).verdict.finding, Finding::kRunning);
  history.containers[0].run.exit_code = 1;
  EXPECT_THAT(Explain(history).verdict.sentence, HasSubstr("init container prepare ended with"));
}

TEST(ExplainPodTest, NothingHasStarted) {
  PodHistory history = Running();
  history.containers.clear();
  EXPECT_EQ(Explain(history).verdict.sentence,
            "No container that holds devices is known to have started.");
}

TEST(ExplainPodTest, ADeletedPodOfWhichNobodyToldHowItEnded) {
  PodHistory history = Running();
  history.pod.deleted = At(300);
  const Explanation explanation = Explain(history);
  EXPECT_EQ(explanation.verdict.finding, Finding::kEndNotTold);
  EXPECT_EQ(explanation.verdict.sentence,
            "The pod was deleted at 2027-01-15T08:05:00Z, and how its containers ended was not "
            "told.");
  const auto& spans = LaneNamed(explanation, "container train").spans;
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_EQ(spans[0].to, At(300));
  EXPECT_EQ(spans[0].text, "how it ended was not told");
  EXPECT_EQ(FactNamed(explanation, "Container train"),
            "started 2027-01-15T08:01:40Z, how it ended was not told");
}

TEST(ExplainPodTest, ADeletedPodIsExplainedAsFarAsIsKnown) {
  PodHistory history = Failed();
  history.pod.deleted = At(230);
  const Explanation explanation = Explain(history);
  EXPECT_EQ(explanation.verdict.finding, Finding::kUnhealthyBefore);
  EXPECT_EQ(FactNamed(explanation, "State"), "deleted");
  EXPECT_LT(explanation.to, At(250)) << "the line ends with the pod, not today";
  EXPECT_GE(explanation.to, At(230));
}

TEST(ExplainPodTest, WithoutClaimsReadNoDeviceIsKnown) {
  PodHistory history = Failed();
  history.allocations.clear();
  EXPECT_EQ(Explain(history).verdict.finding, Finding::kNoDevice);
}

TEST(ExplainPodTest, ADriverWithoutHealthIsTheReason) {
  PodHistory history = Failed();
  history.transitions.clear();
  history.devices.clear();
  history.drivers[0].state = DriverState::kUnsupported;
  const Explanation explanation = Explain(history);
  EXPECT_EQ(explanation.verdict.finding, Finding::kNotReported);
  EXPECT_THAT(explanation.verdict.sentence,
              HasSubstr("driver gpu.example.com offers no health service"));
  EXPECT_THAT(LaneNamed(explanation, "gpu.example.com/node-1/gpu-0").spans, IsEmpty());
}

TEST(ExplainPodTest, NoAgentWasThereAtTheEnd) {
  PodHistory history = Failed();
  history.transitions.pop_back();
  history.presence.alive = Alive(150);
  const Explanation explanation = Explain(history);
  EXPECT_EQ(explanation.verdict.finding, Finding::kAgentAway);
  EXPECT_EQ(LaneNamed(explanation, "gpu.example.com/node-1/gpu-0").spans.back().to, At(150))
      << "what nobody saw is not drawn";
  EXPECT_EQ(LaneNamed(explanation, "agent").spans.at(0).from, At(150));
}

TEST(ExplainPodTest, LanesSayHowTheDeviceWasAndHowTheContainerRan) {
  const Explanation explanation = Explain(Failed());
  const Lane& device = LaneNamed(explanation, "gpu.example.com/node-1/gpu-0");
  EXPECT_THAT(device.spans, ElementsAre(Span{At(95), At(188), SpanState::kHealthy, ""},
                                        Span{At(188), At(1000), SpanState::kUnhealthy, "Xid 79"}));
  EXPECT_THAT(
      LaneNamed(explanation, "container train").spans,
      ElementsAre(Span{At(100), At(200), SpanState::kEndedBadly, "ended with code 137 (Error)"}));
}

const LastOfDevice kLastOfGpu0{"gpu.example.com/node-1/gpu-0",
                               "held in train by claim claim-of-uid-1, request req", kUnhealthy,
                               "Xid 79"};

TEST(ExplainPodTest, ADeviceIsLastAsItIsWhileThePodRuns) {
  EXPECT_THAT(Explain(Running()).devices, ElementsAre(kLastOfGpu0));
  PodHistory history = Running();
  history.presence.alive = Alive(188);
  EXPECT_THAT(Explain(history).devices, ElementsAre(kLastOfGpu0))
      << "the change was the last thing that the agent saw";
}

TEST(ExplainPodTest, ADeviceIsLastAsAPodThatHasEndedGoesOnSaying) {
  PodHistory history = Failed();
  history.pod.ended = At(201);
  history.transitions = Turns("gpu-0", {{50, kHealthy}, {231, Health::kUnknown}});
  const auto last = [&] { return Explain(history).devices.at(0); };
  EXPECT_EQ(last().health, kHealthy) << "as it was at the end, where no more is known";
  history.allocations[0].last = LastHealth{{kUnhealthy, UnknownReason::kNone, "Xid 79", At(220)}};
  EXPECT_EQ(last(), kLastOfGpu0) << "a late report";
}

TEST(ExplainPodTest, OfADeviceWithoutHealthTheReasonIsTold) {
  PodHistory history = Failed();
  history.transitions.clear();
  history.devices.clear();
  history.drivers[0].state = DriverState::kUnsupported;
  const auto last = [&] { return Explain(history).devices.at(0); };
  EXPECT_EQ(last().health, std::nullopt);
  EXPECT_THAT(last().text, HasSubstr("offers no health service"));
  history.pod.ended = At(201);
  history.allocations[0].last = {.health = {.health = Health::kUnknown}, .counts = false};
  EXPECT_EQ(last().health, Health::kUnknown);
  EXPECT_THAT(last().text, HasSubstr("offers no health service"));
}

TEST(ExplainPodTest, TheLineReachesBackToStartsBeforeThePodWasSeen) {
  PodHistory history = Failed();
  history.containers = {RunOf("uid-1", 0, 20, 60, 1), RunOf("uid-1", 1, 100, 200, 137)};
  EXPECT_EQ(Explain(history).from, At(20));
}

TEST(ExplainPodTest, NamesakesAreCountedWithTheirUids) {
  PodHistory history = Failed();
  EXPECT_THAT(Explain(history).notes, IsEmpty());
  PodRecord other = SomePod("uid-0", "train-0");
  other.deleted = At(10);
  history.namesakes = {other};
  EXPECT_THAT(Explain(history).notes,
              ElementsAre("1 other pod has had this name; --uid explains it: uid-0 (deleted "
                          "2027-01-15T08:00:10Z)"));
}

}  // namespace
}  // namespace dra_health

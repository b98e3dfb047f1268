#include "explain/explain_device.h"

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

// gpu-0 failed twice; one pod held it and failed meanwhile, another holds it now.
DeviceHistory Twice() {
  DeviceHistory history;
  history.key = Gpu("gpu-0");
  history.transitions = Turns("gpu-0", {{10, Health::kHealthy},
                                        {150, Health::kUnhealthy, "Xid 79"},
                                        {300, Health::kHealthy},
                                        {900, Health::kUnhealthy, "ECC"}});
  history.device = Device(Gpu("gpu-0"), Health::kUnhealthy, 900);
  history.driver = SomeDriver("gpu.example.com", DriverState::kStreaming);
  PodRecord gone = SomePod("uid-1", "train-0");
  gone.deleted = At(210);
  history.pods = {gone, SomePod("uid-2", "train-1")};
  history.allocations = {SomeAllocation("uid-1", Gpu("gpu-0"), 90),
                         SomeAllocation("uid-2", Gpu("gpu-0"), 400)};
  history.allocations[0].to = At(210);
  ContainerRecord other = RunOf("uid-1", 0, 100, 200, 1);
  other.container = "other";
  history.containers = {other, RunOf("uid-1", 0, 100, 200, 137), RunOf("uid-2", 0, 410, 500, 1),
                        RunOf("uid-2", 1, 510)};
  history.presence.alive = Alive(1000);
  return history;
}

Explanation Explain(const DeviceHistory& history) { return ExplainDevice(history, At(1000)); }

TEST(ExplainDeviceTest, TheSentenceSaysWhatItIsAndWhatWasCounted) {
  EXPECT_EQ(Explain(Twice()).verdict.sentence,
            "Device gpu.example.com/node-1/gpu-0 is Unhealthy since 2027-01-15T08:15:00Z: ECC; in "
            "what is recorded it turned Unhealthy 2 times and 2 pods held it, of whose containers "
            "2 runs ended with another code than 0, 1 while it was Unhealthy.");
}

TEST(ExplainDeviceTest, WithoutFailuresNoneAreCounted) {
  DeviceHistory history = Twice();
  history.containers = {RunOf("uid-2", 0, 410, 500, 0)};
  EXPECT_THAT(Explain(history).verdict.sentence, HasSubstr("2 pods held it."));
  history.containers = {RunOf("uid-2", 0, 410, 500, 1)};
  EXPECT_THAT(Explain(history).verdict.sentence,
              HasSubstr("1 run ended with another code than 0, none while it was Unhealthy."));
}

TEST(ExplainDeviceTest, EveryChangeEveryPodAndEveryRunIsAMoment) {
  std::vector<std::string> said;
  for (const auto& moment : Explain(Twice()).moments) {
    said.push_back(std::to_string((moment.at - At(0)).count() / 1000) + " " +
                   std::string(ToString(moment.kind)) + " " + moment.subject);
  }
  const std::string device = "gpu.example.com/node-1/gpu-0";
  EXPECT_THAT(said,
              ElementsAre("10 Turned " + device, "90 Allocated jobs/train-0",
                          "100 Started jobs/train-0 container train", "150 Turned " + device,
                          "200 Ended jobs/train-0 container train", "210 Released jobs/train-0",
                          "300 Turned " + device, "400 Allocated jobs/train-1",
                          "410 Started jobs/train-1 container train",
                          "500 Ended jobs/train-1 container train",
                          "510 Started jobs/train-1 container train", "900 Turned " + device));
}

TEST(ExplainDeviceTest, ALaneForTheDeviceAndOneForEachPod) {
  const Explanation explanation = Explain(Twice());
  ASSERT_THAT(explanation.lanes, SizeIs(3));
  EXPECT_THAT(explanation.lanes[0].spans, SizeIs(4));
  EXPECT_EQ(explanation.lanes[1].name, "jobs/train-0");
  EXPECT_EQ(explanation.lanes[1].detail, "UID uid-1");
  EXPECT_THAT(explanation.lanes[1].spans,
              ElementsAre(Span{At(90), At(210), SpanState::kHeld, "held in train"},
                          Span{At(100), At(200), SpanState::kEndedBadly,
                               "container train: ended with code 137 (Error)"}));
  EXPECT_EQ(explanation.lanes[2].spans.at(0).to, At(1000)) << "it still holds it";
  EXPECT_EQ(explanation.from, At(10));
  EXPECT_EQ(explanation.to, At(1000));
}

TEST(ExplainDeviceTest, FactsNameThePartsOfItsNameAndItsHolders) {
  const Explanation explanation = Explain(Twice());
  const auto holders = std::ranges::find(explanation.facts, "Held now by", &Fact::name);
  ASSERT_NE(holders, explanation.facts.end());
  EXPECT_EQ(holders->value, "jobs/train-1");
  EXPECT_EQ(explanation.facts[1].value, "node-1");
}

TEST(ExplainDeviceTest, APodThatHasEndedHoldsNothingAnyMore) {
  DeviceHistory history = Twice();
  history.pods[1].ended = At(700);
  const Explanation explanation = Explain(history);
  const auto holders = std::ranges::find(explanation.facts, "Held now by", &Fact::name);
  ASSERT_NE(holders, explanation.facts.end());
  EXPECT_EQ(holders->value, "no pod");
  EXPECT_EQ(explanation.lanes[2].spans.at(0).to, At(700));
  const auto is_release = [](const TimelineMoment& moment) {
    return moment.kind == MomentKind::kReleased && moment.at == At(700);
  };
  EXPECT_EQ(std::ranges::count_if(explanation.moments, is_release), 1);
}

TEST(ExplainDeviceTest, UnknownHasItsReason) {
  DeviceHistory history = Twice();
  history.transitions = Turns("gpu-0", {{10, Health::kHealthy}, {50, Health::kUnknown}});
  EXPECT_THAT(Explain(history).verdict.sentence,
              HasSubstr("is Unknown since 2027-01-15T08:00:50Z: no report had come within its "
                        "lease; in what is recorded it turned Unhealthy 0 times"));
}

TEST(ExplainDeviceTest, WhereNothingIsKnownTheDriverMaySayWhy) {
  DeviceHistory history;
  history.key = Gpu("gpu-0");
  history.driver = SomeDriver("gpu.example.com", DriverState::kUnsupported);
  history.presence.alive = Alive(1000);
  const Explanation explanation = Explain(history);
  EXPECT_THAT(explanation.verdict.sentence,
              HasSubstr("Nothing is known of the health of device gpu.example.com/node-1/gpu-0: "
                        "driver gpu.example.com offers no health service; "));
  EXPECT_THAT(explanation.moments, IsEmpty());
}

TEST(ExplainDeviceTest, AnAgentThatIsGoneKnowsOnlyWhatWas) {
  DeviceHistory history = Twice();
  history.presence.alive = Alive(950);
  const Explanation explanation = Explain(history);
  EXPECT_THAT(explanation.verdict.sentence,
              HasSubstr("was Unhealthy since 2027-01-15T08:15:00Z when an agent was last there, at "
                        "2027-01-15T08:15:50Z"));
  EXPECT_EQ(explanation.lanes[0].spans.back().to, At(950));
  EXPECT_EQ(explanation.lanes.back().kind, Lane::Kind::kAgent);
}

}  // namespace
}  // namespace dra_health

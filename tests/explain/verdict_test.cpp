// What is said of the end of a run: what was known, how long before, and never a cause.

#include "explain/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/explain/histories.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Health kHealthy = Health::kHealthy;
constexpr Health kUnhealthy = Health::kUnhealthy;
constexpr Health kUnknown = Health::kUnknown;

// The container "train" ran from 100 to 200 and was killed.
ContainerRecord Killed() {
  ContainerRecord end = RunOf("uid-1", 0, 100, 200, 137);
  end.run.reason = "OOMKilled";
  return end;
}

Verdict Explain(const std::vector<HeldDevice>& devices, const std::vector<Away>& away = {}) {
  return ExplainEnd(Killed(), devices, away);
}

void ExpectVerdict(const Verdict& verdict, Finding finding, const std::string& sentence) {
  EXPECT_EQ(ToString(verdict.finding), ToString(finding));
  EXPECT_EQ(verdict.sentence, sentence);
}

TEST(VerdictTest, ADeviceThatTurnedUnhealthyBeforeTheEnd) {
  ExpectVerdict(Explain({Held("gpu-0", {{50, kHealthy}, {188, kUnhealthy, "Xid 79"}})}),
                Finding::kUnhealthyBefore,
                "Device gpu.example.com/node-1/gpu-0 had turned Unhealthy 12 s before container "
                "train ended with code 137 (OOMKilled): Xid 79.");
}

TEST(VerdictTest, ItCountsTheTimeThatIsCertainAndRoundsItDown) {
  HeldDevice device = Held("gpu-0", {{50, kHealthy}, {188, kUnhealthy}});
  device.health.back().from = At(188) + std::chrono::milliseconds{1};
  EXPECT_THAT(Explain({device}).sentence, HasSubstr("turned Unhealthy 11 s before"));
  device.health.back().from = At(200) - std::chrono::milliseconds{1};
  EXPECT_THAT(Explain({device}).sentence, HasSubstr("turned Unhealthy less than 1 s before"));
}

TEST(VerdictTest, ADeviceThatWasUnhealthyAlreadyAtTheStart) {
  ExpectVerdict(Explain({Held("gpu-0", {{10, kUnhealthy, "Xid 79"}})}), Finding::kUnhealthyBefore,
                "Device gpu.example.com/node-1/gpu-0 was Unhealthy already when container train "
                "started, and had been for 3 min 10 s when it ended with code 137 (OOMKilled): "
                "Xid 79.");
}

TEST(VerdictTest, ADeviceThatWasUnhealthyBeforeAnythingIsRecorded) {
  HeldDevice device = Held("gpu-0", {{10, kUnhealthy}, {500, kHealthy}});
  device.health.erase(device.health.begin());
  device.health.front().from.reset();
  ExpectVerdict(Explain({device}), Finding::kUnhealthyBefore,
                "Device gpu.example.com/node-1/gpu-0 had been Unhealthy for longer than is "
                "recorded when container train ended with code 137 (OOMKilled).");
}

TEST(VerdictTest, SeveralUnhealthyDevicesAreAllNamed) {
  ExpectVerdict(Explain({Held("gpu-0", {{50, kHealthy}, {188, kUnhealthy, "Xid 79"}}),
                         Held("gpu-1", {{50, kHealthy}, {199, kUnhealthy}}),
                         Held("gpu-2", {{50, kHealthy}})}),
                Finding::kUnhealthyBefore,
                "2 devices had turned Unhealthy before container train ended with code 137 "
                "(OOMKilled): gpu.example.com/node-1/gpu-0 12 s before (Xid 79) and "
                "gpu.example.com/node-1/gpu-1 1 s before; its other device was Healthy.");
}

TEST(VerdictTest, TheOtherDevicesAreCounted) {
  const HeldDevice bad = Held("gpu-0", {{50, kHealthy}, {188, kUnhealthy}});
  const HeldDevice good = Held("gpu-1", {{50, kHealthy}});
  const HeldDevice silent = Held("gpu-2", {{50, kHealthy}, {150, kUnknown}});
  EXPECT_THAT(Explain({bad, good, good}).sentence,
              HasSubstr("; its other 2 devices were Healthy."));
  EXPECT_THAT(Explain({bad, silent}).sentence,
              HasSubstr("; of its other device nothing is known."));
  EXPECT_THAT(Explain({bad, good, silent, silent}).sentence,
              HasSubstr("; of its other 3 devices 1 was Healthy and 2 not known."));
}

TEST(VerdictTest, OneSecondHoldsBothAndTheOrderIsNotKnown) {
  for (const auto after : {0, 999}) {
    HeldDevice device = Held("gpu-0", {{50, kHealthy}, {200, kUnhealthy, "Xid 79"}});
    device.health.back().from = At(200) + std::chrono::milliseconds{after};
    device.health[1].to = device.health.back().from;
    ExpectVerdict(
        Explain({device}), Finding::kUnhealthySameSecond,
        "Device gpu.example.com/node-1/gpu-0 (Xid 79) turned Unhealthy in the same second "
        "in which container train ended with code 137 (OOMKilled), and which came first "
        "is not known.");
  }
}

TEST(VerdictTest, ADeviceThatTurnedUnhealthyOnlyAfterTheEnd) {
  const HeldDevice late = Held("gpu-0", {{50, kHealthy}, {203, kUnhealthy, "Xid 79"}});
  ExpectVerdict(Explain({late}), Finding::kUnhealthyAfter,
                "Nothing is known to have been wrong when container train ended with code 137 "
                "(OOMKilled): its device gpu.example.com/node-1/gpu-0 had been Healthy throughout; "
                "it turned Unhealthy only 3 s after that (Xid 79).");
  EXPECT_THAT(
      Explain({late, Held("gpu-1", {{50, kHealthy}})}).sentence,
      HasSubstr("2 devices had been Healthy throughout; device gpu.example.com/node-1/gpu-0 "
                "turned Unhealthy only 3 s after that (Xid 79)."));
  EXPECT_THAT(
      Explain({late, Held("gpu-1", {{50, kHealthy}, {260, kUnhealthy}})}).sentence,
      HasSubstr("; turned Unhealthy only after that: gpu.example.com/node-1/gpu-0 3 s after "
                "(Xid 79) and gpu.example.com/node-1/gpu-1 1 min after."));
}

TEST(VerdictTest, AChangeLongAfterTheEndIsNoPartOfIt) {
  EXPECT_EQ(Explain({Held("gpu-0", {{50, kHealthy}, {801, kUnhealthy}})}).finding,
            Finding::kHealthy);
  EXPECT_EQ(Explain({Held("gpu-0", {{50, kHealthy}, {800, kUnhealthy}})}).finding,
            Finding::kUnhealthyAfter);
}

TEST(VerdictTest, HealthyThroughout) {
  ExpectVerdict(Explain({Held("gpu-0", {{50, kHealthy}}), Held("gpu-1", {{99, kHealthy}})}),
                Finding::kHealthy,
                "Nothing is known to have been wrong when container train ended with code 137 "
                "(OOMKilled): its 2 devices had been Healthy throughout.");
}

TEST(VerdictTest, ThroughoutIsSaidOnlyWhereAllOfTheRunIsKnown) {
  const std::string in_part = "Healthy then, though not known to have been for all of its run.";
  EXPECT_THAT(Explain({Held("gpu-0", {{120, kHealthy}})}).sentence, HasSubstr("was " + in_part));
  EXPECT_THAT(Explain({Held("gpu-0", {{50, kHealthy}, {120, kUnknown}, {130, kHealthy}}),
                       Held("gpu-1", {{50, kHealthy}})})
                  .sentence,
              HasSubstr("were " + in_part));
  EXPECT_THAT(Explain({Held("gpu-0", {{50, kHealthy}})}, {{At(110), At(120)}}).sentence,
              HasSubstr(in_part));
  EXPECT_THAT(Explain({Held("gpu-0", {{50, kHealthy}})}, {{At(10), At(90)}}).sentence,
              HasSubstr("throughout"));
}

TEST(VerdictTest, ADeviceThatHadRecovered) {
  ExpectVerdict(
      Explain({Held("gpu-0", {{50, kHealthy}, {120, kUnhealthy, "ECC"}, {170, kHealthy}})}),
      Finding::kRecoveredBefore,
      "Device gpu.example.com/node-1/gpu-0 had been Unhealthy while container train ran, until "
      "30 s before it ended with code 137 (OOMKilled), and was Healthy then: ECC.");
  EXPECT_EQ(Explain({Held("gpu-0", {{50, kUnhealthy}, {90, kHealthy}})}).finding, Finding::kHealthy)
      << "it recovered before the run began";
}

TEST(VerdictTest, UnknownAtTheEndHasItsReason) {
  ExpectVerdict(Explain({Held("gpu-0", {{50, kHealthy}, {160, kUnknown}})}), Finding::kNotReported,
                "Health was not being reported for device gpu.example.com/node-1/gpu-0 when "
                "container train ended with code 137 (OOMKilled): no report had come within its "
                "lease, since 40 s before.");
  const auto why = [](UnknownReason reason) {
    return Explain({Held("gpu-0", {{50, kHealthy}, {160, kUnknown, "", reason}})}).sentence;
  };
  EXPECT_THAT(why(UnknownReason::kDriverGone), HasSubstr("its driver was gone"));
  EXPECT_THAT(why(UnknownReason::kDriverSaysSo), HasSubstr("its driver said that it did not know"));
  EXPECT_THAT(why(UnknownReason::kNodeRebooted), HasSubstr("since the node was rebooted"));
}

TEST(VerdictTest, UnhealthyBeforeItFellSilentIsSaid) {
  EXPECT_THAT(
      Explain({Held("gpu-0", {{50, kHealthy}, {150, kUnhealthy, "Xid 79"}, {180, kUnknown}})})
          .sentence,
      HasSubstr("since 20 s before, and it had been Unhealthy until 20 s before (Xid 79)."));
}

TEST(VerdictTest, ReportingHadNotBegun) {
  EXPECT_THAT(Explain({Held("gpu-0", {{300, kHealthy}})}).sentence,
              HasSubstr("(OOMKilled): its driver had not reported on it."));
  EXPECT_THAT(Explain({{Gpu("gpu-0"), {}, ""}}).sentence,
              HasSubstr(": nothing is recorded of that time."));
}

TEST(VerdictTest, ADriverThatOffersNoHealthIsNamed) {
  ExpectVerdict(Explain({{Gpu("gpu-0"), {}, "driver gpu.example.com offers no health service"}}),
                Finding::kNotReported,
                "Health was not being reported for device gpu.example.com/node-1/gpu-0 when "
                "container train ended with code 137 (OOMKilled): driver gpu.example.com offers no "
                "health service.");
}

TEST(VerdictTest, SeveralUnknownDevicesAreNamedWithTheirReasons) {
  EXPECT_THAT(Explain({Held("gpu-0", {{50, kHealthy}, {160, kUnknown}}),
                       Held("gpu-1", {{300, kHealthy}}), Held("gpu-2", {{50, kHealthy}})})
                  .sentence,
              HasSubstr("for 2 devices when container train ended with code 137 (OOMKilled): "
                        "gpu.example.com/node-1/gpu-0, no report had come within its lease, since "
                        "40 s before and gpu.example.com/node-1/gpu-1, its driver had not reported "
                        "on it; its other device was Healthy."));
}

TEST(VerdictTest, NoAgentWasThereAtTheEnd) {
  ExpectVerdict(Explain({Held("gpu-0", {{50, kHealthy}})}, {{At(150), At(260)}}),
                Finding::kAgentAway,
                "No agent was running when container train ended with code 137 (OOMKilled), from "
                "2027-01-15T08:02:30Z to 2027-01-15T08:04:20Z, so how its devices were then is not "
                "known; when last seen, all were Healthy.");
}

TEST(VerdictTest, WhatWasFoundWhenAnAgentWasBackIsSaid) {
  EXPECT_THAT(
      Explain({Held("gpu-0", {{50, kHealthy}, {260, kUnhealthy}})}, {{At(150), At(260)}}).sentence,
      HasSubstr("; it turned Unhealthy only 1 min after that."));
}

TEST(VerdictTest, AnAgentThatHasNotComeBackOrWasNeverThere) {
  EXPECT_THAT(Explain({Held("gpu-0", {{50, kHealthy}})}, {{At(150), std::nullopt}}).sentence,
              HasSubstr(", from 2027-01-15T08:02:30Z, so how"));
  EXPECT_THAT(Explain({Held("gpu-0", {})}, {{WallTime::min(), std::nullopt}}).sentence,
              HasSubstr("(OOMKilled), so how its devices were then is not known."));
}

TEST(VerdictTest, WhatWasSeenBeforeAnAbsenceStillCounts) {
  EXPECT_EQ(
      Explain({Held("gpu-0", {{50, kHealthy}, {140, kUnhealthy}})}, {{At(150), At(260)}}).finding,
      Finding::kUnhealthyBefore);
}

TEST(VerdictTest, NoDeviceIsKnown) {
  ExpectVerdict(Explain({}), Finding::kNoDevice,
                "No device is known that container train held when it ended with code 137 "
                "(OOMKilled).");
}

TEST(VerdictTest, ARunThatCouldNotBeStartedIsExplainedToo) {
  ContainerRecord end = Killed();
  end.run.started.reset();
  EXPECT_EQ(ExplainEnd(end, {Held("gpu-0", {{50, kHealthy}, {188, kUnhealthy}})}, {}).finding,
            Finding::kUnhealthyBefore);
}

TEST(VerdictTest, KindAndSignalAreNamed) {
  ContainerRecord end = Killed();
  end.kind = ContainerKind::kSidecar;
  end.run.signal = 9;
  EXPECT_THAT(ExplainEnd(end, {}, {}).sentence,
              HasSubstr("sidecar train held when it ended with code 137 (OOMKilled, signal 9)"));
  end.kind = ContainerKind::kInit;
  EXPECT_THAT(ExplainEnd(end, {}, {}).sentence, HasSubstr("init container train"));
}

TEST(VerdictTest, NoSentenceClaimsACause) {
  const std::vector<std::vector<Turn>> histories = {{{50, kHealthy}, {188, kUnhealthy}},
                                                    {{50, kHealthy}, {200, kUnhealthy}},
                                                    {{50, kHealthy}, {203, kUnhealthy}},
                                                    {{50, kHealthy}, {160, kUnknown}},
                                                    {{50, kHealthy}}};
  for (const auto& turns : histories) {
    for (const char* word : {"because", "caused", "due to", "therefore"}) {
      EXPECT_THAT(Explain({Held("gpu-0", turns)}).sentence, Not(HasSubstr(word)));
    }
  }
}

Verdict Running(const std::vector<HeldDevice>& devices, const std::vector<Away>& away = {}) {
  return ExplainRunning("container train", devices, away, At(200));
}

TEST(RunningTest, NothingIsWrong) {
  ExpectVerdict(Running({Held("gpu-0", {{50, kHealthy}}), Held("gpu-1", {{50, kHealthy}})}),
                Finding::kRunning,
                "Container train is running and nothing is known to be wrong: its 2 devices are "
                "Healthy.");
}

TEST(RunningTest, WhatIsWrongOrNotKnownIsNamed) {
  ExpectVerdict(Running({Held("gpu-0", {{50, kHealthy}, {140, kUnhealthy, "Xid 79"}}),
                         Held("gpu-1", {{50, kUnknown}}), Held("gpu-2", {{50, kHealthy}})}),
                Finding::kRunning,
                "Container train is running; Unhealthy: gpu.example.com/node-1/gpu-0 for 1 min "
                "(Xid 79); not known: gpu.example.com/node-1/gpu-1 (no report had come within its "
                "lease); 1 of 3 devices Healthy.");
}

TEST(RunningTest, AnAgentThatIsGoneKnowsOnlyWhatWas) {
  EXPECT_THAT(
      Running({Held("gpu-0", {{50, kHealthy}})}, {{At(150), std::nullopt}}).sentence,
      HasSubstr("Container train was running at 2027-01-15T08:02:30Z, when an agent was last "
                "there: its device was Healthy."));
  EXPECT_THAT(Running({Held("gpu-0", {{90, kUnhealthy}}), Held("gpu-1", {{50, kHealthy}})},
                      {{At(150), std::nullopt}})
                  .sentence,
              HasSubstr("gpu-0 for 1 min; 1 of 2 devices Healthy"))
      << "nobody knows how it went on";
  EXPECT_THAT(Running({Held("gpu-0", {{50, kHealthy}})}, {{At(100), At(150)}}).sentence,
              HasSubstr("is running"));
}

TEST(RunningTest, NoDeviceIsKnown) {
  EXPECT_EQ(Running({}).sentence, "No device is known that container train holds.");
}

}  // namespace
}  // namespace dra_health

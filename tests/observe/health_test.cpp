// What probes are told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/health_board.h"
#include "observe/health_page.h"

namespace dra_health {
namespace {

using namespace std::chrono_literals;

class HealthTest : public testing::Test {
 protected:
  std::string Live() { return HealthPage("healthz", board.Live(), true).body; }
  std::string Ready() { return HealthPage("readyz", board.Ready(), true).body; }

  FakeClock clock;
  HealthBoard board{clock};
};

TEST_F(HealthTest, ALoopThatTurnsIsAlive) {
  clock.Advance(30s);
  EXPECT_EQ(Live(), "[+]loop ok\nhealthz check passed\n");
  clock.Advance(1s);
  EXPECT_EQ(Live(), "[-]loop failed: it last turned 31 s ago\nhealthz check failed\n");
  board.Turned();
  EXPECT_EQ(Live(), "[+]loop ok\nhealthz check passed\n");
}

TEST_F(HealthTest, ALoopIsLateBeforeItIsStuck) {
  EXPECT_TRUE(board.LoopIsPrompt());
  clock.Advance(16s);
  EXPECT_FALSE(board.LoopIsPrompt());
  EXPECT_EQ(HealthPage("healthz", board.Live(), false).status, 200);
}

TEST_F(HealthTest, NothingIsReadyBeforeItWasLookedAt) {
  EXPECT_EQ(Ready(), "[+]loop ok\n[-]state failed: not known yet\nreadyz check failed\n");
}

TEST_F(HealthTest, ReadinessNamesEachCheck) {
  board.Set({{"api-server", ""}, {"store", "disk full"}});
  EXPECT_EQ(Ready(),
            "[+]loop ok\n[+]api-server ok\n[-]store failed: disk full\nreadyz check failed\n");
  board.Set({{"api-server", ""}, {"store", ""}});
  EXPECT_EQ(Ready(), "[+]loop ok\n[+]api-server ok\n[+]store ok\nreadyz check passed\n");
}

TEST_F(HealthTest, AStuckLoopIsNotReadyEither) {
  board.Set({{"store", ""}});
  clock.Advance(31s);
  EXPECT_EQ(HealthPage("readyz", board.Ready(), false).status, 500);
}

TEST(HealthPage, IsShortWhenAllIsWellAndNobodyAsksForMore) {
  const Page page = HealthPage("readyz", {{"a", ""}}, false);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "ok");
}

TEST(HealthPage, SaysWhatIsWrongUnasked) {
  EXPECT_EQ(HealthPage("readyz", {{"a", "b"}}, false).body,
            "[-]a failed: b\nreadyz check failed\n");
}

TEST(HealthPage, IsKnownFromThatOfAnotherProgram) {
  for (const bool verbose : {false, true}) {
    EXPECT_TRUE(IsHealthPage("readyz", HealthPage("readyz", {{"a", ""}}, verbose).body));
    EXPECT_TRUE(IsHealthPage("readyz", HealthPage("readyz", {{"a", "b"}}, verbose).body));
  }
  EXPECT_FALSE(IsHealthPage("readyz", HealthPage("healthz", {{"a", "b"}}, true).body));
  EXPECT_FALSE(IsHealthPage("readyz", "<html>"));
  EXPECT_FALSE(IsHealthPage("readyz", ""));
}

}  // namespace
}  // namespace dra_health

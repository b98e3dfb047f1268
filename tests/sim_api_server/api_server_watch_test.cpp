#include <future>

#include "tests/sim_api_server/api_server_fixture.h"

namespace dra_health::sim {
namespace {

class ApiServerWatchTest : public ApiServerFixture {
 protected:
  void StartWatch(ApiServerOptions options = {}) {
    Start(std::move(options));
    client_ = std::make_unique<TestClient>(*server_);
    watch_ = client_->Watch(kWatchPath);
    ASSERT_TRUE(watch_);
    ASSERT_EQ(Brief(watch_->NextLine()), "ADDED pod-1");
  }

  std::unique_ptr<TestClient> client_;
  std::unique_ptr<TestWatch> watch_;
};

TEST_F(ApiServerWatchTest, TellsChangesAsTheyCome) {
  StartWatch();
  server_->PutPod(SamplePod("pod-2").dump());
  EXPECT_EQ(Brief(watch_->NextLine()), "ADDED pod-2");
  client_->Patch("pod-2", SamplePatch(SampleList()));
  EXPECT_EQ(Brief(watch_->NextLine()), "MODIFIED pod-2");
  server_->DeletePod("default", "pod-2");
  EXPECT_EQ(Brief(watch_->NextLine()), "DELETED pod-2");
}

TEST_F(ApiServerWatchTest, ManyWatchesDoNotStarveRequests) {
  StartWatch();
  std::vector<std::unique_ptr<TestWatch>> watches;
  for (int i = 0; i < 8; ++i) watches.push_back(client_->Watch(kWatchPath));
  EXPECT_EQ(server_->open_watches(), 9u);
  EXPECT_EQ(client_->Get(kPodPath).status, 200);
  server_->PutPod(SamplePod("pod-2").dump());
  for (const auto& watch : watches) {
    EXPECT_EQ(Brief(watch->NextLine()), "ADDED pod-1");
    EXPECT_EQ(Brief(watch->NextLine()), "ADDED pod-2");
  }
}

TEST_F(ApiServerWatchTest, BookmarksComeOnDemandAndByTheClock) {
  ApiServerOptions options;
  options.bookmark_interval = std::chrono::milliseconds(20);
  StartWatch(options);
  EXPECT_EQ(Brief(watch_->NextLine()), "BOOKMARK ");
  EXPECT_EQ(Brief(watch_->NextLine()), "BOOKMARK ");
  server_->SendBookmarks();
  EXPECT_EQ(Brief(watch_->NextLine()), "BOOKMARK ");
}

TEST_F(ApiServerWatchTest, EndsInPeaceAfterItsTimeout) {
  StartWatch();
  const auto timed = client_->Watch(std::string(kWatchPath) + "&timeoutSeconds=1");
  EXPECT_EQ(Brief(timed->NextLine()), "ADDED pod-1");
  EXPECT_EQ(Brief(timed->NextLine()), "BOOKMARK ");
  EXPECT_EQ(timed->NextLine(), std::nullopt);
  EXPECT_FALSE(timed->broken());
  EXPECT_TRUE(server_->WaitForWatches(1, kPatience));
}

TEST_F(ApiServerWatchTest, ClientThatGoesIsNoticedAtOnce) {
  StartWatch();
  EXPECT_EQ(server_->open_watches(), 1u);
  watch_.reset();
  client_.reset();
  EXPECT_TRUE(server_->WaitForWatches(0, kPatience));
}

TEST_F(ApiServerWatchTest, OldVersionAfterCompactionIsGone) {
  StartWatch();
  const std::string old = std::to_string(server_->resource_version());
  server_->PutPod(SamplePod("pod-2").dump());
  server_->Compact();
  const auto late = client_->Watch(std::string(kWatchPath) + "&resourceVersion=" + old);
  EXPECT_THAT(late->NextLine().value_or(""), testing::HasSubstr("\"code\":410"));
  EXPECT_EQ(late->NextLine(), std::nullopt);
}

TEST_F(ApiServerWatchTest, OpenWatchesBreakInEveryWay) {
  StartWatch();
  EXPECT_EQ(server_->BreakWatches(FaultKind::kWatchGarbage), 1u);
  EXPECT_EQ(Brief(watch_->NextLine()), "GARBAGE");
  server_->BreakWatches(FaultKind::kWatchGone);
  EXPECT_EQ(Brief(watch_->NextLine()), "ERROR ");
  EXPECT_EQ(watch_->NextLine(), std::nullopt);
  EXPECT_FALSE(watch_->broken());

  watch_ = client_->Watch(kWatchPath);
  server_->BreakWatches(FaultKind::kWatchClosed);
  EXPECT_EQ(Brief(watch_->NextLine()), "ADDED pod-1");
  EXPECT_EQ(watch_->NextLine(), std::nullopt);
  EXPECT_FALSE(watch_->broken());
}

TEST_F(ApiServerWatchTest, SilentWatchStaysOpenAndSaysNothing) {
  StartWatch();
  server_->BreakWatches(FaultKind::kWatchSilent);
  server_->PutPod(SamplePod("pod-2").dump());
  server_->SendBookmarks();
  EXPECT_EQ(server_->open_watches(), 1u);
  // What comes next is the cut: nothing was sent before it.
  server_->BreakWatches(FaultKind::kCut);
  EXPECT_EQ(watch_->NextLine(), std::nullopt);
}

TEST_F(ApiServerWatchTest, CutWatchesBreakAndOtherConnectionsLive) {
  StartWatch();
  server_->PutNode("node-1");
  server_->AddFault(
      {.kind = FaultKind::kDrip, .path = "/nodes/", .interval = std::chrono::milliseconds(1)});
  auto slow = std::async(std::launch::async,
                         [this] { return TestClient(*server_).Get("/api/v1/nodes/node-1"); });
  ASSERT_TRUE(server_->WaitForCount("get", "nodes", 1, kPatience));
  EXPECT_EQ(server_->BreakWatches(FaultKind::kCut), 1u);
  EXPECT_EQ(watch_->NextLine(), std::nullopt);
  EXPECT_TRUE(watch_->broken());
  EXPECT_TRUE(server_->WaitForWatches(0, kPatience));
  EXPECT_TRUE(slow.get().whole);
}

TEST_F(ApiServerWatchTest, FaultWaitsForTheNextWatch) {
  StartWatch();
  server_->AddFault({.kind = FaultKind::kWatchClosed, .verb = "watch"});
  const auto next = client_->Watch(kWatchPath);
  EXPECT_EQ(Brief(next->NextLine()), "ADDED pod-1");
  EXPECT_EQ(next->NextLine(), std::nullopt);
}

TEST_F(ApiServerWatchTest, StoppedServerBreaksTheWatch) {
  StartWatch();
  server_->Stop();
  EXPECT_EQ(watch_->NextLine(), std::nullopt);
  EXPECT_TRUE(watch_->broken());
  EXPECT_EQ(server_->open_watches(), 0u);
}

}  // namespace
}  // namespace dra_health::sim

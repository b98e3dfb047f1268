// Who looks at the agent gets an answer, whatever the loop does.

#include "observe/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace dra_health {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// What the HTTP server would do, without one.
struct FakeServer {
  Listener::Handler handler;
  bool port_taken = false;
  int attempts = 0;

  OpenListener Open() {
    return [this](const ListenAddress&, const std::shared_ptr<TlsFiles>&,
                  Listener::Handler wanted) -> Result<std::unique_ptr<Listener>> {
      ++attempts;
      if (port_taken) return Fail(ErrorKind::kRetry, "the port is taken");
      handler = std::move(wanted);
      return std::make_unique<Listener>();
    };
  }
};

class ObserverTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Observer>> Create() {
    return Observer::Create(
        options, clock, queue,
        [this] {
          ++looks;
          return seen;
        },
        server.Open());
  }
  void Start() {
    options.address = kDefaultListenAddress;
    auto created = Create();
    ASSERT_TRUE(created) << created.error().message;
    observer = *std::move(created);
  }
  // Where the answer will be; nullopt until it is given.
  std::shared_ptr<std::optional<Page>> Get(const std::string& path, const std::string& query = "") {
    auto page = std::make_shared<std::optional<Page>>();
    server.handler({path, query}, [page](const Listener::MakePage& make) { *page = make(); });
    return page;
  }
  void TurnLoop() {
    for (QueueItem& item : queue.TakeAll()) std::get<MainTask>(item)();
    observer->Turned();
  }

  FakeClock clock;
  EventQueue queue;
  FakeServer server;
  ObserveOptions options;
  Observation seen;
  int looks = 0;
  std::unique_ptr<Observer> observer;
};

TEST_F(ObserverTest, LivenessDoesNotWaitForTheLoop) {
  Start();
  EXPECT_EQ(Get("/healthz")->value().body, "ok");
  EXPECT_EQ(looks, 0);
}

TEST_F(ObserverTest, MetricsAndReadinessAreSeenByTheLoop) {
  seen.store.bytes = 7;
  seen.checks = {{"store", ""}};
  Start();
  const auto metrics = Get("/metrics");
  const auto ready = Get("/readyz", "verbose");
  EXPECT_FALSE(metrics->has_value());
  EXPECT_FALSE(ready->has_value());
  TurnLoop();
  EXPECT_THAT(metrics->value().body, HasSubstr("dra_health_agent_store_size_bytes 7\n"));
  EXPECT_THAT(metrics->value().content_type, HasSubstr("version=0.0.4"));
  EXPECT_EQ(ready->value().body, "[+]loop ok\n[+]store ok\nreadyz check passed\n");
}

TEST_F(ObserverTest, TheLoopLooksOnceForAllWhoWait) {
  Start();
  const auto first = Get("/metrics");
  const auto second = Get("/metrics");
  TurnLoop();
  EXPECT_EQ(looks, 1);
  EXPECT_TRUE(first->has_value());
  EXPECT_TRUE(second->has_value());
  Get("/metrics");
  TurnLoop();
  EXPECT_EQ(looks, 2) << "the next one gets what is new";
}

TEST_F(ObserverTest, NobodyWaitsForALoopThatIsLate) {
  seen.store.bytes = 7;
  Start();
  Get("/metrics");
  TurnLoop();
  clock.Advance(16s);
  EXPECT_THAT(Get("/metrics")->value().body, HasSubstr("store_size_bytes 7\n")) << "the last known";
  EXPECT_EQ(looks, 1);
}

TEST_F(ObserverTest, AStuckLoopFailsLivenessUntilItTurns) {
  Start();
  clock.Advance(31s);
  EXPECT_EQ(Get("/healthz")->value().status, 500);
  TurnLoop();
  EXPECT_EQ(Get("/healthz")->value().status, 200);
}

TEST_F(ObserverTest, MoreThanAFewWaitingAreAnsweredAtOnce) {
  Start();
  for (int i = 0; i < 64; ++i) EXPECT_FALSE(Get("/metrics")->has_value());
  EXPECT_TRUE(Get("/metrics")->has_value());
}

TEST_F(ObserverTest, VerboseIsOneOfTheParameters) {
  Start();
  EXPECT_EQ(Get("/healthz", "a=b&verbose=1")->value().body, "[+]loop ok\nhealthz check passed\n");
  EXPECT_EQ(Get("/healthz", "verbosely")->value().body, "ok");
}

TEST_F(ObserverTest, OtherPathsAreNotFound) {
  Start();
  EXPECT_EQ(Get("/")->value().status, 404);
  EXPECT_EQ(Get("/healthz/x")->value().status, 404);
}

TEST_F(ObserverTest, WhoWaitsWhenItStopsIsAnswered) {
  Start();
  const auto waiting = Get("/metrics");
  observer->Stop();
  EXPECT_TRUE(waiting->has_value());
  EXPECT_TRUE(Get("/readyz")->has_value()) << "a late one";
  for (QueueItem& item : queue.TakeAll()) std::get<MainTask>(item)();  // finds nobody
}

TEST_F(ObserverTest, ATaskThatIsLeftInTheQueueOutlivesIt) {
  Start();
  const auto waiting = Get("/metrics");
  observer.reset();
  for (QueueItem& item : queue.TakeAll()) std::get<MainTask>(item)();
  EXPECT_TRUE(waiting->has_value());
}

TEST_F(ObserverTest, WhenOffNothingIsOpened) {
  ASSERT_TRUE(Create());
  EXPECT_EQ(server.attempts, 0);
}

TEST_F(ObserverTest, WithoutThePortItWorksAndTriesAgain) {
  server.port_taken = true;
  Start();
  EXPECT_EQ(server.attempts, 1);
  TurnLoop();
  EXPECT_EQ(server.attempts, 1);
  clock.Advance(30s);
  TurnLoop();
  EXPECT_EQ(server.attempts, 2);
  server.port_taken = false;
  clock.Advance(30s);
  TurnLoop();
  EXPECT_EQ(Get("/healthz")->value().status, 200);
  clock.Advance(30s);
  TurnLoop();
  EXPECT_EQ(server.attempts, 3) << "no more when it is open";
}

TEST_F(ObserverTest, AnAddressThatIsRequiredAndTakenIsAnError) {
  server.port_taken = true;
  options.required = true;
  options.address = kDefaultListenAddress;
  const auto created = Create();
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().kind, ErrorKind::kItem);
  EXPECT_EQ(created.error().message, "the port is taken");
}

TEST_F(ObserverTest, ACertificateThatCannotBeReadIsAnError) {
  options.address = kDefaultListenAddress;
  options.tls_certificate = "/nowhere/tls.crt";
  options.tls_key = "/nowhere/tls.key";
  const auto created = Create();
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().message, "cannot read /nowhere/tls.crt: No such file or directory");
  EXPECT_EQ(server.attempts, 0);
}

// For ThreadSanitizer: the loop turns while the listener's threads ask.
TEST_F(ObserverTest, ManyAskWhileTheLoopTurns) {
  Start();
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (const char* const path : {"/metrics", "/readyz", "/healthz"}) {
    threads.emplace_back([&, path] {
      for (int i = 0; i < 50; ++i) {
        server.handler({path, ""}, [&](const Listener::MakePage& make) {
          make();
          ++answered;
        });
      }
    });
  }
  while (answered < 150) {
    observer->metrics().Saw(Event{event::ReportReceived{}});
    TurnLoop();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(looks, 1);
}

}  // namespace
}  // namespace dra_health

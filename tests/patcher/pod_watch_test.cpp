#include "patcher/pod_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/patcher/events.h"
#include "tests/patcher/pod_json.h"
#include "tests/patcher/scripted_http.h"
#include "tests/support/log_capture.h"

namespace dra_health {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kNode = "/api/v1/nodes/node-1";
constexpr const char* kWatch = "watch=true";
constexpr const char* kList = "&resourceVersion=0";

HttpAnswer ListAnswer(const std::string& resource_version) {
  const json list{{"metadata", {{"resourceVersion", resource_version}}}, {"items", {SamplePod()}}};
  return HttpResponse{.status = 200, .body = list.dump()};
}

std::string Line(const std::string& type, const std::string& resource_version) {
  json pod = SamplePod();
  pod["metadata"]["resourceVersion"] = resource_version;
  return json{{"type", type}, {"object", pod}}.dump() + "\n";
}

std::string ErrorLine(int code) {
  return json{{"type", "ERROR"}, {"object", {{"kind", "Status"}, {"code", code}}}}.dump() + "\n";
}

HttpAnswer Failed(HttpFault fault) { return tl::unexpected(HttpError{fault, "it broke"}); }

class Watch : public testing::Test {
 protected:
  Watch() {
    times_.brief = std::chrono::milliseconds{0};  // no watch of these tests lasts
    times_.backoff = {std::chrono::milliseconds{1}, std::chrono::milliseconds{2}};
  }
  ~Watch() override { Stop(); }

  void Start() {
    http_.Script({.target = kNode});
    StartUnchecked();
  }
  void StartUnchecked() {
    watch_.emplace("node-1", "https://api:6443", session_, clock_, queue_, stop_, times_);
    thread_ = std::thread([this] { watch_->Run(); });
  }
  void Stop() {
    stop_.Stop();
    http_.Stop();
    if (thread_.joinable()) thread_.join();
  }
  std::string Target(const char* part, std::size_t index) {
    std::vector<std::string> targets;
    for (const HttpRequest& request : http_.Requests()) {
      if (request.target.find(part) != std::string::npos) targets.push_back(request.target);
    }
    return index < targets.size() ? targets[index] : "";
  }

  LogCapture log_;
  WatchTimes times_;
  ScriptedHttp http_;
  SystemClock clock_;
  EventQueue queue_;
  Events events_{queue_};
  StopSignal stop_;
  ApiSession session_{http_, {}, clock_};
  std::optional<PodWatch> watch_;
  std::thread thread_;
};

TEST_F(Watch, ListsOnceThenFollowsFromThere) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script(
      {.target = kWatch, .pieces = {Line("MODIFIED", "11") + Line("DELETED", "12")}, .hold = true});
  Start();
  const auto listed = events_.Next<event::PodsListed>();
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->pods.size(), 1u);
  const auto changed = events_.Next<event::PodChanged>();
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->pod->resource_version, "11");
  const auto deleted = events_.Next<event::PodDeleted>();
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->uid, "uid-1");
  EXPECT_THAT(Target(kWatch, 0), testing::AllOf(HasSubstr("fieldSelector=spec.nodeName%3Dnode-1"),
                                                HasSubstr("allowWatchBookmarks=true"),
                                                HasSubstr("&resourceVersion=10&")));
}

TEST_F(Watch, GoesOnFromTheLastEventWhenTheServerClosesInPeace) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .pieces = {Line("MODIFIED", "11")}});
  http_.Script({.target = kWatch, .pieces = {Line("BOOKMARK", "15")}});
  http_.Script({.target = kWatch, .hold = true});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 3));
  EXPECT_THAT(Target(kWatch, 1), HasSubstr("&resourceVersion=11&"));
  EXPECT_THAT(Target(kWatch, 2), HasSubstr("&resourceVersion=15&"));
  EXPECT_EQ(http_.Count(kList), 1u);
  Stop();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.Next<event::PodChanged>());
  EXPECT_TRUE(events_.empty());
  EXPECT_EQ(log_.text(), "");
}

TEST_F(Watch, AsksForATimeAtRandomBetweenItsLimits) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  for (int i = 0; i < 20; ++i) http_.Script({.target = kWatch, .pieces = {Line("BOOKMARK", "10")}});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 21));
  std::set<int> seen;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::string target = Target(kWatch, i);
    const int seconds = std::stoi(target.substr(target.find("timeoutSeconds=") + 15));
    EXPECT_GE(seconds, 300);
    EXPECT_LE(seconds, 600);
    seen.insert(seconds);
  }
  EXPECT_GT(seen.size(), 5u);
}

TEST_F(Watch, ListsAgainAfterGoneAsAnHttpStatus) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .answer = StatusAnswer(410, "Expired")});
  http_.Script({.target = kList, .answer = ListAnswer("20")});
  http_.Script({.target = kWatch, .hold = true});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 2));
  EXPECT_THAT(Target(kWatch, 1), HasSubstr("&resourceVersion=20&"));
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.empty());
}

TEST_F(Watch, ListsAgainAfterGoneAsAnEvent) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .pieces = {ErrorLine(410)}});
  http_.Script({.target = kList, .answer = ListAnswer("20")});
  http_.Script({.target = kWatch, .hold = true});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 2));
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.Next<event::PodsListed>());
}

TEST_F(Watch, ListsAgainWhenTheServerNeverHeardOfTheVersion) {
  const json status{{"kind", "Status"},
                    {"code", 504},
                    {"reason", "Timeout"},
                    {"details", {{"causes", {{{"reason", "ResourceVersionTooLarge"}}}}}}};
  http_.Script({.target = kList, .answer = ListAnswer("1000")});
  http_.Script({.target = kWatch, .answer = HttpResponse{.status = 504, .body = status.dump()}});
  http_.Script({.target = kList, .answer = ListAnswer("20")});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kList, 2));
}

TEST_F(Watch, ACutIsAnOutageThatEndsWithTheNextAnswer) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch,
                .answer = Failed(HttpFault::kTruncated),
                .pieces = {Line("MODIFIED", "11")}});
  for (int i = 0; i < 3; ++i) {
    http_.Script({.target = kWatch, .answer = Failed(HttpFault::kConnect)});
  }
  http_.Script({.target = kWatch, .pieces = {Line("MODIFIED", "12")}, .hold = true});
  Start();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.Next<event::PodChanged>());
  EXPECT_TRUE(events_.Next<event::ApiReconnected>());
  EXPECT_TRUE(events_.Next<event::PodChanged>());
  EXPECT_EQ(http_.Count(kList), 1u);
  EXPECT_THAT(Target(kWatch, 4), HasSubstr("&resourceVersion=11&"));
  Stop();
  EXPECT_TRUE(events_.empty());
  EXPECT_EQ(log_.Count("it broke"), 1u) << log_.text();
  EXPECT_EQ(log_.Count("answers again"), 1u) << log_.text();
}

TEST_F(Watch, AServerThatIsAwayAtTheStartIsNoReconnection) {
  http_.Script({.target = kNode, .answer = Failed(HttpFault::kConnect)});
  http_.Script({.target = kList, .answer = Failed(HttpFault::kConnect)});
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  Start();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
}

TEST_F(Watch, AnUnavailableServerIsAnOutageToo) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .answer = StatusAnswer(503, "ServiceUnavailable")});
  http_.Script({.target = kWatch, .hold = true});
  Start();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.Next<event::ApiReconnected>());
}

TEST_F(Watch, GarbageEndsTheStreamAndIsFollowedFromTheLastGoodEvent) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .pieces = {Line("MODIFIED", "11"), "#garbage\n"}});
  http_.Script({.target = kWatch, .hold = true});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 2));
  EXPECT_THAT(Target(kWatch, 1), HasSubstr("&resourceVersion=11&"));
  Stop();
  EXPECT_EQ(log_.Count("a line that is not JSON"), 1u) << log_.text();
}

TEST_F(Watch, APageInsteadOfAWatchIsNotAPeacefulEnd) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .pieces = {"<html>please log in</html>"}});
  http_.Script({.target = kWatch, .hold = true});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 2));
  Stop();
  EXPECT_EQ(log_.Count("the stream ends within a line"), 1u) << log_.text();
}

TEST_F(Watch, AnotherErrorEventListsAgainAfterAWhile) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .pieces = {ErrorLine(500)}});
  http_.Script({.target = kList, .answer = ListAnswer("20")});
  Start();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.Next<event::PodsListed>());
}

TEST_F(Watch, ASilentWatchIsOpenedAnewWithoutAWord) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script(
      {.target = kWatch, .answer = Failed(HttpFault::kQuiet), .pieces = {Line("BOOKMARK", "11")}});
  http_.Script({.target = kWatch, .hold = true});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 2));
  Stop();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  EXPECT_TRUE(events_.empty());
  EXPECT_EQ(log_.text(), "");
}

TEST_F(Watch, HasALimitOnSilenceAndOnItsWholeLife) {
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 1));
  const HttpRequest request = http_.Requests().back();
  EXPECT_GE(request.timeout, std::chrono::seconds{300} + times_.grace);
  EXPECT_LE(request.timeout, std::chrono::seconds{600} + times_.grace);
  EXPECT_EQ(request.quiet_timeout, times_.quiet);
  EXPECT_EQ(request.open_timeout, times_.open);
}

TEST_F(Watch, SaysAMissingPermissionOnce) {
  for (int i = 0; i < 4; ++i) {
    http_.Script({.target = kList, .answer = StatusAnswer(403, "Forbidden", "User cannot list")});
  }
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  Start();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  Stop();
  EXPECT_EQ(log_.Count("missing permission to list and watch pods"), 1u) << log_.text();
}

TEST_F(Watch, AListThatIsNoneIsAskedForAgain) {
  http_.Script({.target = kList, .answer = HttpResponse{.status = 200, .body = "<html>"}});
  http_.Script({.target = kList, .answer = HttpResponse{.status = 200}});
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  Start();
  EXPECT_TRUE(events_.Next<event::PodsListed>());
  Stop();
  EXPECT_EQ(log_.Count("HTML page instead of JSON"), 1u) << log_.text();
}

TEST_F(Watch, AnUnknownNodeIsSaidOnceWithItsFlagAndAgainWhenItIsThere) {
  for (int i = 0; i < 2; ++i) {
    http_.Script({.target = kNode, .answer = StatusAnswer(404, "NotFound")});
  }
  http_.Script({.target = kNode});
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .pieces = {Line("BOOKMARK", "11")}});
  http_.Script({.target = kWatch, .pieces = {Line("BOOKMARK", "12")}});
  http_.Script({.target = kWatch, .hold = true});
  StartUnchecked();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 3));
  EXPECT_EQ(http_.Count(kNode), 3u);
  Stop();
  EXPECT_EQ(log_.Count("--node-name"), 1u) << log_.text();
  EXPECT_EQ(log_.Count("knows node \"node-1\" now"), 1u) << log_.text();
}

TEST_F(Watch, WithoutPermissionForNodesItGoesOn) {
  http_.Script({.target = kNode, .answer = StatusAnswer(403, "Forbidden")});
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch, .pieces = {Line("BOOKMARK", "11")}});
  StartUnchecked();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 2));
  EXPECT_EQ(http_.Count(kNode), 1u);
  Stop();
  EXPECT_EQ(log_.Count("missing permission to get nodes"), 1u) << log_.text();
}

// With real limits: what answers and closes at once must not be asked in a loop.
TEST_F(Watch, AWatchThatEndsAtOnceWaitsLongerAndLonger) {
  times_.brief = std::chrono::hours{1};
  times_.backoff = {std::chrono::hours{1}, std::chrono::hours{1}};
  http_.Script({.target = kList, .answer = ListAnswer("10")});
  http_.Script({.target = kWatch});
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 1));
  Stop();
  EXPECT_EQ(http_.Count(kWatch), 1u);
}

TEST_F(Watch, GoneStraightAfterAListWaitsToo) {
  times_.brief = std::chrono::hours{1};
  times_.backoff = {std::chrono::hours{1}, std::chrono::hours{1}};
  for (int i = 0; i < 3; ++i) {
    http_.Script({.target = kList, .answer = ListAnswer("10")});
    http_.Script({.target = kWatch, .answer = StatusAnswer(410, "Expired")});
  }
  Start();
  ASSERT_TRUE(http_.WaitForCount(kWatch, 2));
  Stop();
  EXPECT_EQ(http_.Count(kWatch), 2u);
}

}  // namespace
}  // namespace dra_health

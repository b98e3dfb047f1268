#include "patcher/api_session.h"

#include <gtest/gtest.h>

#include "tests/patcher/scripted_http.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

HttpAnswer Failed(HttpFault fault) { return tl::unexpected(HttpError{fault, "why"}); }

class Session : public testing::Test {
 protected:
  HttpAnswer Send(std::chrono::milliseconds timeout = std::chrono::seconds{10}) {
    return session_.Send({.method = "GET", .target = "/x", .timeout = timeout});
  }
  TempFolder folder_;
  std::filesystem::path file_ = folder_.Write("token", "old");
  ScriptedHttp http_;
  FakeClock clock_;
  ApiSession session_{http_, {.file = file_}, clock_};
};

TEST_F(Session, PutsTheTokenOnEachRequest) {
  http_.Script({});
  EXPECT_EQ(Send()->status, 200);
  EXPECT_EQ(http_.Requests().at(0).token, "old");
}

TEST_F(Session, ReadsTheTokenAnewAfter401AndTriesOnceMore) {
  http_.Script({});
  Send();
  folder_.Write("token", "new");
  http_.Script({.answer = StatusAnswer(401, "Unauthorized")});
  http_.Script({});
  EXPECT_EQ(Send()->status, 200);
  ASSERT_EQ(http_.Requests().size(), 3u);
  EXPECT_EQ(http_.Requests()[1].token, "old");
  EXPECT_EQ(http_.Requests()[2].token, "new");
}

TEST_F(Session, A401AfterThatIsTheAnswer) {
  http_.Script({.answer = StatusAnswer(401, "Unauthorized")});
  http_.Script({.answer = StatusAnswer(401, "Unauthorized")});
  EXPECT_EQ(Send()->status, 401);
  EXPECT_EQ(http_.Requests().size(), 2u);
}

TEST_F(Session, AStaleConnectionIsTriedAgainInPlace) {
  http_.Script({.answer = Failed(HttpFault::kBroken)});
  http_.Script({});
  EXPECT_EQ(Send()->status, 200);
}

TEST_F(Session, OtherFailuresAreForTheCaller) {
  for (const HttpFault fault : {HttpFault::kConnect, HttpFault::kTruncated, HttpFault::kTimeout,
                                HttpFault::kTooLarge, HttpFault::kStopped}) {
    http_.Script({.answer = Failed(fault)});
    const std::size_t before = http_.Requests().size();
    EXPECT_EQ(Send().error().fault, fault);
    EXPECT_EQ(http_.Requests().size(), before + 1);
  }
}

TEST_F(Session, TheSecondAttemptHasOnlyTheTimeThatIsLeft) {
  class SlowHttp final : public HttpClient {
   public:
    explicit SlowHttp(FakeClock& clock) : clock_(clock) {}
    HttpAnswer Send(const HttpRequest& request) override {
      timeouts.push_back(request.timeout);
      clock_.Advance(std::chrono::seconds{6});
      return Failed(HttpFault::kBroken);
    }
    HttpAnswer Stream(const HttpRequest& request, const std::function<void()>&,
                      const OnData&) override {
      return Send(request);
    }
    void Stop() override {}
    std::vector<std::chrono::milliseconds> timeouts;

   private:
    FakeClock& clock_;
  };
  SlowHttp slow(clock_);
  ApiSession session(slow, {}, clock_);
  EXPECT_FALSE(session.Send({.method = "GET", .timeout = std::chrono::seconds{10}}));
  EXPECT_EQ(slow.timeouts, (std::vector<std::chrono::milliseconds>{std::chrono::seconds{10},
                                                                   std::chrono::seconds{4}}));
  slow.timeouts.clear();
  EXPECT_FALSE(session.Send({.method = "GET", .timeout = std::chrono::seconds{6}}));
  EXPECT_EQ(slow.timeouts.size(), 1u);
}

}  // namespace
}  // namespace dra_health

#include "patcher/pod_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "patcher/line_splitter.h"
#include "tests/patcher/pod_json.h"

namespace dra_health {
namespace {

using nlohmann::json;

json SampleList() {
  json second = SamplePod();
  second["metadata"]["uid"] = "uid-2";
  second["metadata"]["items"] = {{{"deep", {{"er", 1}}}}};
  return {{"kind", "PodList"},
          {"items", {SamplePod(), second}},
          {"metadata", {{"resourceVersion", "77"}, {"continue", ""}}}};
}

TEST(PodList, ReadsEachPod) {
  const auto list = ReadPodList(SampleList().dump());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->resource_version, "77");
  ASSERT_EQ(list->pods.size(), 2u);
  EXPECT_EQ(list->pods[0]->uid, "uid-1");
  EXPECT_EQ(list->pods[0]->containers.size(), 1u);
  EXPECT_EQ(list->pods[1]->uid, "uid-2");
}

TEST(PodList, AnUnreadablePodDoesNotHideTheOthers) {
  json sample = SampleList();
  sample["items"][0]["spec"] = 5;
  const auto list = ReadPodList(sample.dump());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->pods.size(), 1u);
  EXPECT_THAT(list->unreadable, testing::ElementsAre(testing::HasSubstr("spec is of type number")));
}

TEST(PodList, AnEmptyListIsAList) {
  for (const char* items : {"[]", "null"}) {
    const auto list = ReadPodList(
        std::string(R"({"metadata": {"resourceVersion": "1"}, "items": )") + items + "}");
    ASSERT_TRUE(list) << items;
    EXPECT_TRUE(list->pods.empty());
  }
}

TEST(PodList, WhatIsNoListIsAnError) {
  for (const char* text : {"", "<html>", "{}", "[]", R"({"items": []})", R"({"items": [)"}) {
    EXPECT_FALSE(ReadPodList(text)) << text;
  }
}

std::string Line(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump();
}

TEST(WatchLine, AddedAndModifiedCarryThePod) {
  for (const char* type : {"ADDED", "MODIFIED"}) {
    const auto event = ReadWatchLine(Line(type, SamplePod()));
    ASSERT_TRUE(event) << type;
    EXPECT_EQ(event->resource_version, "42");
    EXPECT_EQ(std::get<watch::Changed>(event->what).pod->uid, "uid-1");
  }
}

TEST(WatchLine, DeletedCarriesTheUid) {
  const auto event = ReadWatchLine(Line("DELETED", SamplePod()));
  ASSERT_TRUE(event);
  EXPECT_EQ(std::get<watch::Deleted>(event->what).uid, "uid-1");
}

TEST(WatchLine, ABookmarkMovesTheResourceVersion) {
  const auto event = ReadWatchLine(Line("BOOKMARK", {{"metadata", {{"resourceVersion", "99"}}}}));
  ASSERT_TRUE(event);
  EXPECT_TRUE(std::holds_alternative<watch::Bookmark>(event->what));
  EXPECT_EQ(event->resource_version, "99");
}

TEST(WatchLine, AnErrorEventWithCode410IsExpiry) {
  const auto event = ReadWatchLine(Line("ERROR", {{"kind", "Status"},
                                                  {"code", 410},
                                                  {"reason", "Expired"},
                                                  {"message", "too old resource version"}}));
  ASSERT_TRUE(event);
  EXPECT_TRUE(std::get<watch::ServerError>(event->what).status.IsExpired());
}

TEST(WatchLine, OtherErrorsAreNot) {
  const auto event =
      ReadWatchLine(Line("ERROR", {{"kind", "Status"}, {"code", 500}, {"message", "oops"}}));
  ASSERT_TRUE(event);
  EXPECT_FALSE(std::get<watch::ServerError>(event->what).status.IsExpired());
  EXPECT_TRUE(ReadWatchLine(R"({"type": "ERROR"})"));
}

TEST(WatchLine, AnUnreadablePodIsSkippedButItsResourceVersionCounts) {
  json pod = SamplePod();
  pod["status"] = "gone";
  const auto event = ReadWatchLine(Line("MODIFIED", pod));
  ASSERT_TRUE(event);
  EXPECT_TRUE(std::holds_alternative<watch::Unreadable>(event->what));
  EXPECT_EQ(event->resource_version, "42");
}

TEST(WatchLine, WhatIsNoEventIsAnError) {
  for (const char* text : {"garbage", "{}", "[]", R"({"type": "WONDER", "object": {}})",
                           R"({"type": "ADDED"})", R"({"type": 5})"}) {
    EXPECT_FALSE(ReadWatchLine(text)) << text;
  }
}

class Lines : public testing::Test {
 protected:
  LineSplitter::State Feed(std::string_view data) {
    return splitter_.Feed(data, [this](std::string_view line) {
      lines_.emplace_back(line);
      return line != "stop";
    });
  }
  LineSplitter splitter_;
  std::vector<std::string> lines_;
};

TEST_F(Lines, ComeWholeHoweverTheyAreCut) {
  const std::string text = "one\ntwo\n\nthree\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    lines_.clear();
    for (std::size_t at = 0; at < text.size(); at += size) Feed(text.substr(at, size));
    EXPECT_THAT(lines_, testing::ElementsAre("one", "two", "three")) << size;
    EXPECT_FALSE(splitter_.inside_line());
  }
}

TEST_F(Lines, AnUnfinishedOneIsKnown) {
  Feed("one\ntw");
  EXPECT_THAT(lines_, testing::ElementsAre("one"));
  EXPECT_TRUE(splitter_.inside_line());
}

TEST_F(Lines, TheReceiverCanEndTheStream) {
  EXPECT_EQ(Feed("one\nstop\ntwo\n"), LineSplitter::State::kEnded);
  EXPECT_THAT(lines_, testing::ElementsAre("one", "stop"));
}

TEST_F(Lines, ALineWithoutEndIsNotKeptForEver) {
  const std::string piece(1u << 20, 'x');
  auto state = LineSplitter::State::kMore;
  for (int i = 0; i < 20 && state == LineSplitter::State::kMore; ++i) state = Feed(piece);
  EXPECT_EQ(state, LineSplitter::State::kTooLong);
}

}  // namespace
}  // namespace dra_health

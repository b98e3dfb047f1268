#include "sim/api_server/watch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "tests/sim_api_server/samples.h"

namespace dra_health::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WatchStreamTest : public testing::Test {
 protected:
  WatchOptions OfNode(const std::string& node) {
    WatchOptions options;
    options.selector = *FieldSelector::Parse("spec.nodeName=" + node);
    return options;
  }

  void Put(const std::string& name, const std::string& node = "node-1") {
    Json pod = SamplePod(name);
    pod["spec"]["nodeName"] = node;
    store_.Put(Kind::kPod, pod);
  }

  // "ADDED pod-1" and so on for what is due.
  std::vector<std::string> Next(WatchStream& watch) {
    std::vector<std::string> events;
    std::istringstream lines(watch.Next(store_));
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line);
      events.push_back(Text(event, "type") + " " + MetadataText(event["object"], "name"));
    }
    return events;
  }

  FakeClock clock_;
  ObjectStore store_{clock_};
};

TEST_F(WatchStreamTest, StartsWithWhatThereIs) {
  Put("a");
  Put("b", "node-2");
  WatchStream watch(OfNode("node-1"));
  EXPECT_THAT(Next(watch), ElementsAre("ADDED a"));
  EXPECT_THAT(Next(watch), IsEmpty());
}

TEST_F(WatchStreamTest, GoesOnFromAVersion) {
  Put("a");
  WatchOptions options = OfNode("node-1");
  options.from = store_.version();
  Put("a");
  Put("b");
  store_.Delete({Kind::kPod, "default", "a"});
  store_.Put(Kind::kNode, {{"metadata", {{"name", "node-1"}}}});
  WatchStream watch(options);
  EXPECT_THAT(Next(watch), ElementsAre("MODIFIED a", "ADDED b", "DELETED a"));
}

TEST_F(WatchStreamTest, ObjectsComeAndGoAsTheSelectorSeesThem) {
  Put("a", "");
  WatchStream watch(OfNode("node-1"));
  EXPECT_THAT(Next(watch), IsEmpty());
  Put("a", "node-1");
  EXPECT_THAT(Next(watch), ElementsAre("ADDED a"));
  Put("a", "node-2");
  EXPECT_THAT(Next(watch), ElementsAre("DELETED a"));
}

TEST_F(WatchStreamTest, OneNamespaceOnly) {
  WatchOptions options;
  options.namespace_name = "other";
  WatchStream watch(options);
  Put("a");
  EXPECT_THAT(Next(watch), IsEmpty());
}

TEST_F(WatchStreamTest, CompactedVersionEndsWithAnErrorEventOfCode410) {
  Put("a");
  WatchOptions options = OfNode("node-1");
  options.from = store_.version();
  Put("b");
  store_.Compact();
  WatchStream watch(options);
  const Json event = Json::parse(watch.Next(store_));
  EXPECT_EQ(Text(event, "type"), "ERROR");
  EXPECT_EQ(event["object"]["code"], 410);
  EXPECT_EQ(Text(event["object"], "reason"), "Expired");
  EXPECT_TRUE(watch.ended());
}

TEST_F(WatchStreamTest, BookmarkTellsTheVersionUpToWhichAllIsTold) {
  WatchOptions options = OfNode("node-1");
  options.bookmarks = true;
  WatchStream watch(options);
  EXPECT_EQ(watch.Bookmark(), "");
  Put("a", "node-2");
  watch.Next(store_);
  const Json bookmark = Json::parse(watch.Bookmark());
  EXPECT_EQ(Text(bookmark, "type"), "BOOKMARK");
  EXPECT_EQ(MetadataText(bookmark["object"], "resourceVersion"), std::to_string(store_.version()));
}

TEST_F(WatchStreamTest, NoBookmarkForThoseWhoDidNotAsk) {
  WatchStream watch(OfNode("node-1"));
  watch.Next(store_);
  EXPECT_EQ(watch.Bookmark(), "");
}

TEST_F(WatchStreamTest, FaultsComeAfterWhatIsDue) {
  Put("a");
  WatchStream gone(OfNode("node-1"), FaultKind::kWatchGone);
  EXPECT_THAT(Next(gone), ElementsAre("ADDED a", "ERROR "));
  EXPECT_TRUE(gone.ended());
  WatchStream closed(OfNode("node-1"), FaultKind::kWatchClosed);
  EXPECT_THAT(Next(closed), ElementsAre("ADDED a"));
  EXPECT_TRUE(closed.ended());
}

TEST_F(WatchStreamTest, SilentWatchSaysNothingAndDoesNotEnd) {
  WatchOptions options = OfNode("node-1");
  options.bookmarks = true;
  WatchStream watch(options);
  watch.Next(store_);
  watch.Break(FaultKind::kWatchSilent);
  EXPECT_EQ(watch.Next(store_), "");
  Put("a");
  EXPECT_EQ(watch.Next(store_), "");
  EXPECT_EQ(watch.Bookmark(), "");
  EXPECT_FALSE(watch.ended());
}

TEST_F(WatchStreamTest, GarbageIsOneLineAndTheStreamGoesOn) {
  WatchStream watch(OfNode("node-1"), FaultKind::kWatchGarbage);
  const std::string line = watch.Next(store_);
  EXPECT_TRUE(Json::parse(line, nullptr, false).is_discarded());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  Put("a");
  EXPECT_THAT(Next(watch), ElementsAre("ADDED a"));
}

TEST(FieldSelectorTest, RefusesWhatTheApiDoesNotSelectBy) {
  EXPECT_FALSE(FieldSelector::Parse("spec.containers=x"));
  EXPECT_FALSE(FieldSelector::Parse("spec.nodeName"));
  EXPECT_FALSE(FieldSelector::Parse("=x"));
}

TEST(FieldSelectorTest, AllTermsMustHold) {
  const auto selector = FieldSelector::Parse("spec.nodeName==node-1,metadata.name!=pod-2");
  ASSERT_TRUE(selector);
  EXPECT_TRUE(selector->Matches(SamplePod("pod-1")));
  EXPECT_FALSE(selector->Matches(SamplePod("pod-2")));
  EXPECT_TRUE(FieldSelector::Parse("")->Matches(SamplePod()));
}

}  // namespace
}  // namespace dra_health::sim

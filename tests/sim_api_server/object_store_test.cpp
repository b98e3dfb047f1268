#include "sim/api_server/object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim_api_server/samples.h"

namespace dra_health::sim {
namespace {

class ObjectStoreTest : public testing::Test {
 protected:
  ObjectPtr PutPod(const std::string& name = "pod-1") {
    return store_.Put(Kind::kPod, SamplePod(name));
  }

  FakeClock clock_;
  ObjectStore store_{clock_, 10};
  const ObjectId id_{Kind::kPod, "default", "pod-1"};
};

TEST_F(ObjectStoreTest, PutFillsInWhatAnObjectHasByNature) {
  Json bare = {{"metadata", {{"name", "p"}}}};
  const ObjectPtr pod = store_.Put(Kind::kPod, bare);
  EXPECT_EQ(Text(*pod, "kind"), "Pod");
  EXPECT_EQ(MetadataText(*pod, "namespace"), "default");
  EXPECT_FALSE(MetadataText(*pod, "uid").empty());
  EXPECT_EQ(MetadataText(*pod, "creationTimestamp"), FormatTime(clock_.Now().wall));
  EXPECT_EQ(MetadataText(*pod, "resourceVersion"), std::to_string(store_.version()));
}

TEST_F(ObjectStoreTest, ReplacedObjectKeepsItsUid) {
  const std::string uid = MetadataText(*PutPod(), "uid");
  EXPECT_EQ(MetadataText(*PutPod(), "uid"), uid);
}

TEST_F(ObjectStoreTest, RecreatedObjectHasAnotherUid) {
  const std::string uid = MetadataText(*PutPod(), "uid");
  EXPECT_TRUE(store_.Delete(id_));
  EXPECT_NE(MetadataText(*PutPod(), "uid"), uid);
}

TEST_F(ObjectStoreTest, PutWithAnotherUidIsADeletionAndACreation) {
  PutPod();
  const std::int64_t before = store_.version();
  Json other = SamplePod();
  other["metadata"]["uid"] = "other";
  store_.Put(Kind::kPod, other);
  const auto changes = store_.ChangesSince(before);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 2u);
  EXPECT_EQ((*changes)[0].after, nullptr);
  EXPECT_EQ((*changes)[1].before, nullptr);
}

TEST_F(ObjectStoreTest, UpdateThatChangesNothingKeepsTheVersion) {
  const ObjectPtr pod = PutPod();
  const std::int64_t version = store_.version();
  store_.Update(id_, *pod);
  EXPECT_EQ(store_.version(), version);
}

TEST_F(ObjectStoreTest, DeletedObjectIsShownWithTheVersionOfItsDeletion) {
  PutPod();
  const std::int64_t before = store_.version();
  store_.Delete(id_);
  const auto changes = store_.ChangesSince(before);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 1u);
  EXPECT_EQ(MetadataText(*changes->front().last, "resourceVersion"),
            std::to_string(store_.version()));
  EXPECT_FALSE(store_.Delete(id_));
}

TEST_F(ObjectStoreTest, ListsOneNamespaceOrAll) {
  PutPod();
  Json elsewhere = SamplePod();
  elsewhere["metadata"]["namespace"] = "other";
  store_.Put(Kind::kPod, elsewhere);
  store_.Put(Kind::kClaim, {{"metadata", {{"name", "c"}}}});
  EXPECT_EQ(store_.List(Kind::kPod, "").size(), 2u);
  EXPECT_EQ(store_.List(Kind::kPod, "other").size(), 1u);
}

TEST_F(ObjectStoreTest, CompactionForgetsWhatIsOlder) {
  PutPod();
  const std::int64_t old = store_.version();
  PutPod("pod-2");
  EXPECT_TRUE(store_.ChangesSince(old));
  store_.Compact();
  EXPECT_FALSE(store_.ChangesSince(old));
  EXPECT_TRUE(store_.ChangesSince(store_.version()));
}

TEST_F(ObjectStoreTest, HistoryIsBounded) {
  const std::int64_t start = store_.version();
  for (int i = 0; i < 11; ++i) PutPod("pod-" + std::to_string(i));
  EXPECT_FALSE(store_.ChangesSince(start));
  const auto changes = store_.ChangesSince(start + 1);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->size(), 10u);
}

}  // namespace
}  // namespace dra_health::sim

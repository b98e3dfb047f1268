// Whatever state a store is found in, it is read as it is and left as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "cache/store_reader.h"
#include "tests/cache/child.h"
#include "tests/cache/mounts.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/raw_sql.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReadModesTest : public testing::Test {
 protected:
  // Opens and reads a store that must hold so many transitions.
  void ExpectTransitions(const fs::path& path, std::size_t count) {
    auto reader = StoreReader::Open(path);
    ASSERT_TRUE(Succeeded(reader));
    const auto transitions = reader->Transitions({}, 0);
    ASSERT_TRUE(Succeeded(transitions));
    EXPECT_EQ(transitions->size(), count);
  }

  void ExpectReadWithoutTrace(const fs::path& path, std::size_t count) {
    const auto before = FolderContent(path.parent_path());
    ExpectTransitions(path, count);
    EXPECT_TRUE(FolderContent(path.parent_path()) == before) << "a file was changed, made or lost";
  }

  void Change(Store& store, int at) {
    ASSERT_TRUE(Succeeded(store.Apply(
        Writes{dra_health::Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, at)})));
  }

  // Three transitions in a store that was closed as it should be.
  void MakeStopped() {
    const auto store = OpenStore(path_);
    for (int at = 0; at < 3; ++at) Change(*store, at);
  }

  // An agent that has written three transitions and lives on.
  Child StartAgent() {
    Child agent([this](int ready) {
      const auto store = OpenStore(path_);
      for (int at = 0; at < 3; ++at) Change(*store, at);
      if (::write(ready, "x", 1) == 1) ::pause();
    });
    EXPECT_EQ(agent.Read(1), "x");
    return agent;
  }

  // Copies of the named files in a folder of their own.
  fs::path Copy(std::initializer_list<const char*> suffixes) {
    fs::create_directories(folder_ / "copy");
    for (const char* suffix : suffixes) {
      fs::copy_file(path_.string() + suffix, folder_ / "copy/health.db" += suffix);
    }
    return folder_ / "copy/health.db";
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "node/health.db";
};

TEST_F(ReadModesTest, StoppedAgent) {
  MakeStopped();
  ASSERT_FALSE(fs::exists(path_.string() + "-wal"));
  ExpectReadWithoutTrace(path_, 3);
}

TEST_F(ReadModesTest, RunningAgentInAnotherProcess) {
  const Child agent = StartAgent();
  ASSERT_GT(fs::file_size(path_.string() + "-wal"), 0U);
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& [name, content] : FolderContent(path_.parent_path())) found.insert(name);
    return found;
  };
  const auto before = names();
  const std::string file = FileContent(path_);
  const std::string wal = FileContent(path_.string() + "-wal");
  ExpectTransitions(path_, 3);
  EXPECT_EQ(names(), before);
  EXPECT_TRUE(FileContent(path_) == file);
  EXPECT_TRUE(FileContent(path_.string() + "-wal") == wal);
}

TEST_F(ReadModesTest, KilledAgentWhoseWalWasLeftBehind) {
  StartAgent().Kill();
  ASSERT_GT(fs::file_size(path_.string() + "-wal"), 0U);
  ExpectReadWithoutTrace(path_, 3);
}

TEST_F(ReadModesTest, WriterThatGoesOnIsNotDisturbed) {
  const auto store = OpenStore(path_);
  Change(*store, 0);
  auto reader = StoreReader::Open(path_);
  ASSERT_TRUE(Succeeded(reader));
  for (int at = 1; at < 20; ++at) {
    Change(*store, at);
    EXPECT_EQ(reader->Transitions({}, 0)->size(), static_cast<std::size_t>(at) + 1);
  }
}

TEST_F(ReadModesTest, CopyOfAStoppedStore) {
  MakeStopped();
  ExpectReadWithoutTrace(Copy({""}), 3);
}

TEST_F(ReadModesTest, CopyWithItsWalButWithoutShm) {
  const Child agent = StartAgent();
  ExpectReadWithoutTrace(Copy({"", "-wal"}), 3);
}

TEST_F(ReadModesTest, CopyOfEverythingOfARunningAgent) {
  const Child agent = StartAgent();
  ExpectReadWithoutTrace(Copy({"", "-wal", "-shm", ".lock"}), 3);
}

TEST_F(ReadModesTest, ReadOnlyDiskWithAStoppedStore) {
  MakeStopped();
  const Mount view = Mount::ReadOnlyView(folder_ / "node", folder_ / "view");
  if (!view.why_not().empty()) GTEST_SKIP() << view.why_not();
  ExpectReadWithoutTrace(folder_ / "view/health.db", 3);
}

TEST_F(ReadModesTest, ReadOnlyDiskWithAWalLeftBehind) {
  StartAgent().Kill();
  const Mount view = Mount::ReadOnlyView(folder_ / "node", folder_ / "view");
  if (!view.why_not().empty()) GTEST_SKIP() << view.why_not();
  ExpectReadWithoutTrace(folder_ / "view/health.db", 3);
  fs::remove(path_.string() + "-shm");
  ExpectReadWithoutTrace(folder_ / "view/health.db", 3);
}

TEST_F(ReadModesTest, ReadOnlyViewOfARunningAgentsFolder) {
  const Child agent = StartAgent();
  const Mount view = Mount::ReadOnlyView(folder_ / "node", folder_ / "view");
  if (!view.why_not().empty()) GTEST_SKIP() << view.why_not();
  ExpectReadWithoutTrace(folder_ / "view/health.db", 3);
}

TEST_F(ReadModesTest, OrdinaryUserReadsWhatItMayRead) {
  {
    const Child agent = StartAgent();
    const OrdinaryUser user;
    ExpectReadWithoutTrace(path_, 3);
  }
  const OrdinaryUser user;
  ExpectReadWithoutTrace(path_, 3);  // the agent was killed
}

TEST_F(ReadModesTest, AgentThatStartsAndWritesWhileAStoppedStoreIsOpen) {
  MakeStopped();
  auto reader = StoreReader::Open(path_);
  ASSERT_TRUE(Succeeded(reader));
  const auto store = OpenStore(path_);
  const std::string file = FileContent(path_);
  Writes many;
  for (int at = 0; at < 50'000; ++at) {
    many.emplace_back(dra_health::Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, at));
  }
  ASSERT_TRUE(Succeeded(store->Apply(many)));
  ASSERT_FALSE(FileContent(path_) == file) << "it was to change under the reader";
  const auto transitions = reader->Transitions({}, 0);
  ASSERT_TRUE(Succeeded(transitions));
  EXPECT_EQ(transitions->size(), 50'003U);
}

TEST_F(ReadModesTest, AgentThatStopsWhileItsStoreIsOpen) {
  auto store = OpenStore(path_);
  Change(*store, 0);
  auto reader = StoreReader::Open(path_);
  ASSERT_TRUE(Succeeded(reader));
  store.reset();
  EXPECT_EQ(reader->Transitions({}, 0)->size(), 1U);
}

TEST_F(ReadModesTest, PathMayHoldWhatUrisGiveAMeaning) {
  path_ = folder_ / "node/100%?#.db";
  MakeStopped();
  ExpectReadWithoutTrace(path_, 3);
  StartAgent().Kill();
  ExpectReadWithoutTrace(path_, 6);
}

class UnreadableTest : public ReadModesTest {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "node"); }

  void ExpectRefused(const std::string& reason) {
    const auto before = FolderContent(folder_ / "node");
    const auto reader = StoreReader::Open(path_);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().kind, ErrorKind::kFatal);
    EXPECT_THAT(reader.error().message, HasSubstr(reason));
    EXPECT_THAT(reader.error().message, HasSubstr(path_.string()));
    EXPECT_TRUE(FolderContent(folder_ / "node") == before) << "a file was changed, made or lost";
  }
};

TEST_F(UnreadableTest, NoFile) { ExpectRefused("there is no store"); }

TEST_F(UnreadableTest, Folder) {
  path_ = folder_ / "node";
  ExpectRefused("not a regular file");
}

TEST_F(UnreadableTest, EmptyFileWithAWal) {
  WriteFile(path_, "");
  WriteFile(path_.string() + "-wal", "would be deleted by SQLite");
  ExpectRefused("it is empty");
}

TEST_F(UnreadableTest, Text) {
  WriteFile(path_, std::string(10'000, 'x'));
  ExpectRefused("no SQLite database");
}

TEST_F(UnreadableTest, AnotherProgramsDatabase) {
  RunSql(path_, "CREATE TABLE bookmarks (url TEXT)");
  ExpectRefused("not a store of dra-health-agent");
}

TEST_F(UnreadableTest, NewerSchemaSaysWhatToUse) {
  MakeStopped();
  RunSql(path_, "PRAGMA user_version = 999");
  ExpectRefused("schema version 999");
  ExpectRefused("use the dra-health-agent that wrote it, or a newer one");
}

TEST_F(UnreadableTest, OlderSchemaSaysWhatBringsItUpToDate) {
  MakeStopped();
  RunSql(path_, "PRAGMA user_version = 0");
  ExpectRefused("brings it up to date");
}

TEST_F(UnreadableTest, DamagedFile) {
  MakeStopped();
  std::string content = FileContent(path_);
  std::fill_n(content.begin() + 100, 3996, '\x5a');
  WriteFile(path_, content);
  ExpectRefused("is broken");
}

TEST_F(UnreadableTest, TruncatedFile) {
  MakeStopped();
  WriteFile(path_, FileContent(path_).substr(0, 8192));
  ExpectRefused("is broken");
}

TEST_F(UnreadableTest, WithoutPermission) {
  MakeStopped();
  fs::permissions(path_, fs::perms{0600});
  const auto reader = [&] {
    const OrdinaryUser user;
    return StoreReader::Open(path_);
  }();
  if (::geteuid() != 0) GTEST_SKIP() << "the file is this user's own";
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message, HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace dra_health

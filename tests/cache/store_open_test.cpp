#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "cache/schema.h"
#include "cache/store.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/raw_sql.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class StoreOpenTest : public testing::Test {
 protected:
  // A store with a history long enough to spread over many pages.
  void MakeStore() {
    Writes writes{Device(Gpu("gpu-0"), Health::kHealthy), Alive(1)};
    for (int i = 0; i < 2000; ++i) {
      writes.emplace_back(Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, i));
    }
    ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(writes)));
  }

  // Opens a file that must be given up; returns why.
  std::string ExpectMovedAside(const std::string& content_before) {
    auto opened = Store::Open(path_);
    EXPECT_TRUE(Succeeded(opened));
    if (!opened) return "";
    EXPECT_THAT(opened->moved_aside.string(), StartsWith(path_.string() + ".broken-"));
    EXPECT_TRUE(FileContent(opened->moved_aside) == content_before) << "evidence was changed";
    const auto state = opened->store->Load();
    EXPECT_TRUE(Succeeded(state));
    EXPECT_THAT(state->devices, IsEmpty());
    EXPECT_TRUE(Succeeded(opened->store->Apply(Writes{Alive(2)}))) << "the new one works";
    return opened->moved_why;
  }

  void ExpectReplaced(const std::string& content) {
    WriteFile(path_, content);
    EXPECT_THAT(ExpectMovedAside(content), Not(IsEmpty()));
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "health.db";
};

TEST_F(StoreOpenTest, MakesMissingFolders) {
  EXPECT_TRUE(OpenStore(folder_ / "a/b/health.db"));
  EXPECT_TRUE(fs::exists(folder_ / "a/b/health.db"));
}

TEST_F(StoreOpenTest, PathMayHoldWhatUrisGiveAMeaning) {
  for (const char* name : {"100%.db", "what?.db", "a#b.db", "with space&x=1.db", "%41.db"}) {
    OpenStore(folder_ / name);
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  }
}

TEST_F(StoreOpenTest, EmptyFileBecomesAStore) {
  WriteFile(path_, "");
  EXPECT_TRUE(OpenStore(path_));
}

// SQLite opens it for reading only, for ever.
TEST_F(StoreOpenTest, AFormatOfANewerSqliteIsMovedAside) {
  MakeStore();
  std::string content = FileContent(path_);
  content[18] = '\x03';  // the write version of the file format
  WriteFile(path_, content);
  EXPECT_THAT(ExpectMovedAside(content), HasSubstr("newer SQLite"));
}

TEST_F(StoreOpenTest, TextIsMovedAside) { ExpectReplaced("kind: Pod\n"); }

TEST_F(StoreOpenTest, NoiseIsMovedAside) {
  std::string noise(100'000, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * i * 31 % 251);
  ExpectReplaced(noise);
}

TEST_F(StoreOpenTest, TruncatedFileIsMovedAside) {
  MakeStore();
  const std::string whole = FileContent(path_);
  for (const std::size_t size : {std::size_t{50}, std::size_t{4096}, whole.size() / 2}) {
    ExpectReplaced(whole.substr(0, size));
  }
}

TEST_F(StoreOpenTest, DamagedSchemaIsMovedAside) {
  MakeStore();
  std::string content = FileContent(path_);
  std::fill_n(content.begin() + 100, 3996, '\x5a');  // all of the first page but its header
  ExpectReplaced(content);
}

TEST_F(StoreOpenTest, MissingTableIsMovedAside) {
  MakeStore();
  RunSql(path_, "DROP TABLE alive");
  const std::string content = FileContent(path_);
  EXPECT_THAT(ExpectMovedAside(content), HasSubstr("alive"));
}

TEST_F(StoreOpenTest, DamagedDevicesTableIsMovedAside) {
  MakeStore();
  const std::ptrdiff_t page =
      std::stoi(RunSql(path_, "SELECT rootpage FROM sqlite_schema WHERE name='devices'"));
  std::string content = FileContent(path_);
  std::fill_n(content.begin() + (page - 1) * 4096, 4096, '\x5a');
  ExpectReplaced(content);
}

TEST_F(StoreOpenTest, RowThatEndsBeyondItsPageIsMovedAside) {
  ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(Writes{SomePod("uid-1", "train")})));
  const std::size_t page =
      std::stoul(RunSql(path_, "SELECT rootpage FROM sqlite_schema WHERE name = 'pods'"));
  std::string content = FileContent(path_);
  const std::size_t start = (page - 1) * 4096;
  content.replace(start + 8, 2, "\x0f\xff");  // where its first row begins
  WriteFile(path_, content);
  // What follows the page in memory is the row's length then.
  EXPECT_THAT(ExpectMovedAside(content), AnyOf(HasSubstr("pods"), HasSubstr("malformed")));
}

TEST_F(StoreOpenTest, NewerSchemaIsMovedAsideWithBothVersionsInTheReason) {
  MakeStore();
  RunSql(path_, "PRAGMA user_version = 999");
  const std::string why = ExpectMovedAside(FileContent(path_));
  EXPECT_THAT(why, HasSubstr("999"));
  EXPECT_THAT(why, HasSubstr("up to " + std::to_string(schema::NewestVersion())));
}

TEST_F(StoreOpenTest, VersionThatTheTablesContradictIsMovedAside) {
  for (const char* version : {"0", "1", "2"}) {
    MakeStore();
    RunSql(path_, std::string("PRAGMA user_version = ") + version);
    const std::string content = FileContent(path_);
    EXPECT_THAT(ExpectMovedAside(content), Not(IsEmpty()));
  }
}

TEST_F(StoreOpenTest, UnknownFileFormatIsMovedAside) {
  MakeStore();
  std::string content = FileContent(path_);
  content[47] = '\x23';  // the schema format, of which SQLite knows 1 to 4
  ExpectReplaced(content);
}

TEST_F(StoreOpenTest, SchemaThatAsksForMoreMemoryThanThereIsIsMovedAside) {
  MakeStore();
  std::string content = FileContent(path_);
  // The sizes of a row of sqlite_schema, and of a text in it.
  const std::size_t row = content.find("tabledevicesdevices");
  ASSERT_NE(row, std::string::npos);
  content.replace(row - 9, 8, 8, '\xff');
  content[row + 2] = '\xff';
  WriteFile(path_, content);
  EXPECT_THAT(ExpectMovedAside(content), HasSubstr("out of memory"));
}

TEST_F(StoreOpenTest, ViewInPlaceOfATableIsMovedAsideAndNotRun) {
  MakeStore();
  RunSql(path_,
         "DROP TABLE alive; CREATE VIEW alive AS WITH RECURSIVE c (x) AS"
         " (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
         " SELECT x AS boot_id, x AS boot_ns, x AS wall_ms FROM c");
  EXPECT_THAT(ExpectMovedAside(FileContent(path_)), HasSubstr("alive"));
}

TEST_F(StoreOpenTest, WalOfTheBrokenFileIsNotReplayedIntoTheNewOne) {
  WriteFile(path_, "garbage");
  WriteFile(path_.string() + "-wal", "old wal");
  auto opened = Store::Open(path_);
  ASSERT_TRUE(Succeeded(opened));
  EXPECT_EQ(FileContent(opened->moved_aside.string() + "-wal"), "old wal");
}

TEST_F(StoreOpenTest, TwoBrokenFilesOfOneSecondKeepTwoNames) {
  ExpectReplaced("first");
  ExpectReplaced("second");
  const auto files = FolderContent(folder_.path());
  EXPECT_EQ(std::ranges::count_if(
                files,
                [](const auto& file) { return file.second == "first" || file.second == "second"; }),
            2);
}

TEST_F(StoreOpenTest, AnotherProgramsDatabaseIsLeftAlone) {
  RunSql(path_, "CREATE TABLE bookmarks (url TEXT)");
  const auto before = FolderContent(folder_.path());
  const auto opened = Store::Open(path_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kFatal);
  EXPECT_THAT(opened.error().message, HasSubstr("another program"));
  EXPECT_TRUE(FileContent(path_) == before.at("health.db"));
}

TEST_F(StoreOpenTest, FolderInPlaceOfTheFileIsFatal) {
  const auto opened = Store::Open(folder_.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kFatal);
  EXPECT_THAT(opened.error().message, HasSubstr("folder"));
}

TEST_F(StoreOpenTest, FileInPlaceOfTheFolderMayPass) {
  WriteFile(folder_ / "file", "");
  const auto opened = Store::Open(folder_ / "file/health.db");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kRetry);
}

TEST_F(StoreOpenTest, UnfinishedWalOfAKilledAgentIsTakenOver) {
  {
    auto store = OpenStore(path_);
    ASSERT_TRUE(Succeeded(store->Apply(Writes{Device(Gpu("gpu-0"), Health::kUnhealthy)})));
    // As a crash leaves it: the change is in the WAL only.
    fs::create_directories(folder_ / "copy");
    fs::copy_file(path_, folder_ / "copy/health.db");
    fs::copy_file(path_.string() + "-wal", folder_ / "copy/health.db-wal");
  }
  const auto state = OpenStore(folder_ / "copy/health.db")->Load();
  ASSERT_TRUE(Succeeded(state));
  EXPECT_THAT(state->devices, SizeIs(1));
}

class BrokenWhileOpenTest : public StoreOpenTest {
 protected:
  void SetUp() override {
    MakeStore();
    store_ = OpenStore(path_);
  }

  std::unique_ptr<Store> store_;
};

TEST_F(BrokenWhileOpenTest, DamageFoundByAWriteMovesTheFileAside) {
  const std::ptrdiff_t page = std::stoi(
      RunSql(path_, "SELECT rootpage FROM sqlite_schema WHERE name='transitions_by_device'"));
  std::string content = FileContent(path_);
  std::fill_n(content.begin() + (page - 1) * 4096, 4096, '\x5a');
  WriteFile(path_, content);
  const auto applied =
      store_->Apply(Writes{Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 1)});
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().kind, ErrorKind::kItem);
  EXPECT_THAT(applied.error().message, HasSubstr(".broken-"));
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_EQ(store_->Apply(Writes{Alive(1)}).error().kind, ErrorKind::kItem) << "it stays over";
  store_.reset();
  EXPECT_TRUE(OpenStore(path_));
}

TEST_F(BrokenWhileOpenTest, DeletedFileIsNoticedByTheNextWrite) {
  fs::remove(path_);
  const auto applied = store_->Apply(Writes{Alive(2)});
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().kind, ErrorKind::kItem);
  EXPECT_THAT(applied.error().message, HasSubstr("deleted"));
  EXPECT_THAT(store_->Load().error().message, HasSubstr("deleted"));
  EXPECT_THAT(store_->Prune(At(0), kNoLimit).error().message, HasSubstr("deleted"));
}

TEST_F(BrokenWhileOpenTest, FileReplacedByAnotherIsNoticedAndNotTouched) {
  WriteFile(folder_ / "restored", FileContent(path_));
  fs::rename(folder_ / "restored", path_);
  const std::string restored = FileContent(path_);
  EXPECT_EQ(store_->Apply(Writes{Alive(2)}).error().kind, ErrorKind::kItem);
  EXPECT_TRUE(FileContent(path_) == restored);
}

}  // namespace
}  // namespace dra_health

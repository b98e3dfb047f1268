// Disks that cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "cache/store.h"
#include "tests/cache/mounts.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/raw_sql.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::SizeIs;

Writes LargeBatch() {
  Writes writes;
  for (int i = 0; i < 1000; ++i) {
    Transition transition = Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, i);
    transition.message.assign(1000, 'x');
    writes.emplace_back(transition);
  }
  return writes;
}

// The size beyond which this process cannot make a file grow: as good as a full disk, without root.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

class StoreDiskTest : public testing::Test {
 protected:
  TempFolder folder_;
  fs::path path_ = folder_ / "disk/health.db";
};

TEST_F(StoreDiskTest, FailedBatchLeavesNothingAndTheStoreUsable) {
  const auto store = OpenStore(path_);
  ASSERT_TRUE(Succeeded(store->Apply(Writes{Device(Gpu("gpu-0"), Health::kHealthy)})));
  {
    const FileSizeLimit limit(100'000);
    Writes writes = LargeBatch();
    writes.insert(writes.begin(), Device(Gpu("gpu-0"), Health::kUnhealthy));
    const auto applied = store->Apply(writes);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().kind, ErrorKind::kRetry);
  }
  const auto state = store->Load();
  ASSERT_TRUE(Succeeded(state));
  ASSERT_THAT(state->devices, SizeIs(1));
  EXPECT_EQ(state->devices[0].health.health, Health::kHealthy);
  EXPECT_TRUE(Succeeded(store->Apply(LargeBatch())));
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM transitions"), "1000");
}

TEST_F(StoreDiskTest, FullDiskIsPassing) {
  const Mount disk = Mount::Tmpfs(folder_ / "disk", "600k");
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  const auto store = OpenStore(path_);
  const auto applied = store->Apply(LargeBatch());
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(applied.error().message, AnyOf(HasSubstr("full"), HasSubstr("No space left")));
  EXPECT_TRUE(Succeeded(store->Apply(Writes{Device(Gpu("gpu-0"), Health::kHealthy)})));
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM transitions"), "0");
}

TEST_F(StoreDiskTest, OpeningOnAFullDiskIsPassingAndWorksOnceThereIsRoom) {
  const Mount disk = Mount::Tmpfs(folder_ / "disk", "1m");
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  WriteFile(folder_ / "disk/ballast", std::string(2 << 20, 'x'));
  const auto opened = Store::Open(path_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kRetry);
  fs::remove(folder_ / "disk/ballast");
  EXPECT_TRUE(OpenStore(path_));
}

TEST_F(StoreDiskTest, ReadOnlyDiskIsPassingAndNotTouched) {
  ASSERT_TRUE(OpenStore(path_));
  const auto before = FolderContent(folder_ / "disk");
  const Mount view = Mount::ReadOnlyView(folder_ / "disk", folder_ / "view");
  if (!view.why_not().empty()) GTEST_SKIP() << view.why_not();
  const auto opened = Store::Open(folder_ / "view/health.db");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(opened.error().message, HasSubstr("Read-only"));
  EXPECT_TRUE(FolderContent(folder_ / "disk") == before);
}

TEST_F(StoreDiskTest, FolderWithoutPermissionIsPassing) {
  fs::create_directories(folder_ / "disk");
  fs::permissions(folder_ / "disk", fs::perms{0555});
  const OrdinaryUser user;
  const auto opened = Store::Open(path_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(opened.error().message, HasSubstr("Permission denied"));
}

TEST_F(StoreDiskTest, FileWithoutPermissionIsPassingAndStaysWhereItIs) {
  ASSERT_TRUE(OpenStore(path_));
  fs::permissions(folder_ / "disk", fs::perms{0777});
  fs::permissions(path_.string() + ".lock", fs::perms{0666});
  fs::permissions(path_, fs::perms{0444});
  {
    const OrdinaryUser user;
    const auto opened = Store::Open(path_);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::kRetry);
  }
  EXPECT_TRUE(OpenStore(path_));
}

}  // namespace
}  // namespace dra_health

#include "discovery/registry_watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plain_socket.h"
#include "tests/support/log_capture.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

void SetModified(const fs::path& path, std::int64_t unix_seconds) {
  const timespec times[2] = {{.tv_sec = unix_seconds, .tv_nsec = 0},
                             {.tv_sec = unix_seconds, .tv_nsec = 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

// Makes permissions count although the tests may run as root.
class AsNobody {
 public:
  AsNobody() : before_(::geteuid()) {
    if (before_ == 0 && ::seteuid(65534) != 0) std::abort();
  }
  ~AsNobody() {
    if (before_ == 0 && ::seteuid(before_) != 0) std::abort();
  }

 private:
  const uid_t before_;
};

class RegistryWatcherTest : public ::testing::Test {
 protected:
  RegistryWatcherTest() : registry_(folder_ / "registry") { fs::create_directory(registry_); }

  RegistryWatcher Watcher(FolderWatch watch = FolderWatch()) {
    return RegistryWatcher(registry_, seconds{10}, clock_, std::move(watch));
  }

  // A test that passes with it and would pass without has not tested inotify: the clock stands
  // still, so only inotify can make Poll look again.
  // Events are there when the call that caused them returns: no waiting.
  static bool InotifySays(const RegistryWatcher& watcher) {
    pollfd poll_fd{.fd = watcher.fd(), .events = POLLIN, .revents = 0};
    return ::poll(&poll_fd, 1, 0) == 1;
  }

  static std::vector<std::string> Names(const RegistryChanges& changes) {
    std::vector<std::string> names;
    for (const FoundSocket& socket : changes.found) names.push_back(socket.path.filename());
    return names;
  }

  FakeClock clock_;
  TempFolder folder_;
  const fs::path registry_;
  LogCapture log_;
};

TEST_F(RegistryWatcherTest, FirstScanGivesIdsInTheOrderInWhichSocketsWereMade) {
  const PlainSocket newest(registry_ / "a");
  const PlainSocket oldest(registry_ / "b");
  const PlainSocket middle(registry_ / "c");
  SetModified(registry_ / "a", 300);
  SetModified(registry_ / "b", 100);
  SetModified(registry_ / "c", 200);
  auto watcher = Watcher();
  const auto changes = watcher.Poll();
  EXPECT_THAT(Names(changes), ElementsAre("b", "c", "a"));
  EXPECT_LT(changes.found[0].id, changes.found[1].id);
  EXPECT_LT(changes.found[1].id, changes.found[2].id);
}

TEST_F(RegistryWatcherTest, OnlySocketsWithoutALeadingDotCount) {
  std::ofstream(registry_ / "file.sock") << "x";
  const PlainSocket hidden(registry_ / ".hidden");
  fs::create_directory(registry_ / ".folder");
  const PlainSocket below_hidden(registry_ / ".folder/in");
  fs::create_symlink("nowhere", registry_ / "dangling");
  const PlainSocket socket(registry_ / "seen");
  auto watcher = Watcher();
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("seen"));
}

TEST_F(RegistryWatcherTest, NewSocketIsFoundWithoutWaitingForTheRescan) {
  auto watcher = Watcher();
  EXPECT_THAT(Names(watcher.Poll()), IsEmpty());
  const PlainSocket socket(registry_ / "late");
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("late"));
  EXPECT_THAT(Names(watcher.Poll()), IsEmpty());
}

TEST_F(RegistryWatcherTest, SubFoldersAreWatchedFromTheirCreation) {
  auto watcher = Watcher();
  watcher.Poll();
  fs::create_directories(registry_ / "a/b");
  ASSERT_TRUE(InotifySays(watcher));
  watcher.Poll();
  const PlainSocket socket(registry_ / "a/b/deep");
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("deep"));
}

TEST_F(RegistryWatcherTest, RemovedSocketIsGone) {
  const PlainSocket socket(registry_ / "x");
  auto watcher = Watcher();
  const auto id = watcher.Poll().found.at(0).id;
  fs::remove(registry_ / "x");
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(watcher.Poll().gone, ElementsAre(id));
}

TEST_F(RegistryWatcherTest, SocketReplacedUnderItsNameIsGoneAndFoundWithALargerId) {
  const PlainSocket first(registry_ / "x");
  auto watcher = Watcher();
  const auto id = watcher.Poll().found.at(0).id;
  fs::remove(registry_ / "x");
  const PlainSocket second(registry_ / "x");
  ASSERT_TRUE(InotifySays(watcher));
  const auto changes = watcher.Poll();
  EXPECT_THAT(changes.gone, ElementsAre(id));
  ASSERT_EQ(changes.found.size(), 1u);
  EXPECT_GT(changes.found[0].id, id);
}

TEST_F(RegistryWatcherTest, UntouchedSocketIsReportedOnce) {
  const PlainSocket socket(registry_ / "x");
  auto watcher = Watcher();
  watcher.Poll();
  clock_.Advance(seconds{10});
  const auto changes = watcher.Poll();
  EXPECT_THAT(changes.found, IsEmpty());
  EXPECT_THAT(changes.gone, IsEmpty());
}

TEST_F(RegistryWatcherTest, MissingFolderIsWaitedForAndSaidOnce) {
  fs::remove(registry_);
  auto watcher = Watcher();
  for (int i = 0; i < 3; ++i) {
    watcher.Poll();
    clock_.Advance(seconds{10});
  }
  EXPECT_EQ(log_.Count("waiting for the registration folder " + registry_.string()), 1);
  EXPECT_FALSE(watcher.sees_folder());
  fs::create_directory(registry_);
  const PlainSocket socket(registry_ / "x");
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("x"));
  EXPECT_TRUE(watcher.sees_folder());
  EXPECT_EQ(log_.Count("looking for drivers in " + registry_.string()), 1);
}

TEST_F(RegistryWatcherTest, MissingFolderIsSeenAtItsCreationSeveralLevelsDown) {
  RegistryWatcher watcher(folder_ / "kubelet/plugins_registry", seconds{10}, clock_);
  watcher.Poll();
  fs::create_directory(folder_ / "kubelet");
  ASSERT_TRUE(InotifySays(watcher));
  watcher.Poll();
  fs::create_directory(folder_ / "kubelet/plugins_registry");
  ASSERT_TRUE(InotifySays(watcher));
  watcher.Poll();
  const PlainSocket socket(folder_ / "kubelet/plugins_registry/x");
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("x"));
}

TEST_F(RegistryWatcherTest, DeletedFolderTakesItsSocketsAlongAndComesBack) {
  const PlainSocket before(registry_ / "x");
  auto watcher = Watcher();
  const auto id = watcher.Poll().found.at(0).id;
  fs::remove_all(registry_);
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(watcher.Poll().gone, ElementsAre(id));
  fs::create_directory(registry_);
  ASSERT_TRUE(InotifySays(watcher));
  watcher.Poll();
  const PlainSocket after(registry_ / "y");
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("y"));
}

TEST_F(RegistryWatcherTest, FolderReplacedByAnotherIsWatchedInItsPlace) {
  const PlainSocket before(registry_ / "x");
  auto watcher = Watcher();
  const auto id = watcher.Poll().found.at(0).id;
  fs::rename(registry_, folder_ / "old");
  fs::create_directory(registry_);
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(watcher.Poll().gone, ElementsAre(id));
  watcher.Poll();  // takes the echo of the watch that was given up
  const PlainSocket elsewhere(folder_ / "old/unseen");
  EXPECT_FALSE(InotifySays(watcher));
  const PlainSocket after(registry_ / "y");
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("y"));
}

TEST_F(RegistryWatcherTest, OverflownInotifyQueueLosesNothing) {
  auto watcher = Watcher();
  watcher.Poll();
  int limit = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> limit;
  ASSERT_GT(limit, 0);
  std::ofstream(registry_ / "a") << "x";
  for (int i = 0; i < limit; ++i) {  // two events each
    fs::rename(registry_ / (i % 2 == 0 ? "a" : "b"), registry_ / (i % 2 == 0 ? "b" : "a"));
  }
  const PlainSocket socket(registry_ / "x");  // its event is one of those that were dropped
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("x"));
}

TEST_F(RegistryWatcherTest, WithoutInotifyTheFolderIsPolledAndThatIsSaidOnce) {
  int attempts = 0;
  auto watcher = Watcher(FolderWatch([&attempts] {
    ++attempts;
    errno = EMFILE;
    return -1;
  }));
  watcher.Poll();
  EXPECT_EQ(watcher.fd(), -1);
  const PlainSocket socket(registry_ / "x");
  clock_.Advance(seconds{1});
  EXPECT_LE(watcher.NextDeadline(), clock_.Now().boot);
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("x"));
  EXPECT_EQ(log_.Count("inotify cannot watch"), 1);
  EXPECT_EQ(attempts, 2);
}

TEST_F(RegistryWatcherTest, InotifyThatBecomesAvailableIsUsed) {
  bool available = false;
  auto watcher = Watcher(FolderWatch([&available] {
    errno = EMFILE;
    return available ? ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK) : -1;
  }));
  watcher.Poll();
  available = true;
  clock_.Advance(seconds{1});
  watcher.Poll();
  const PlainSocket socket(registry_ / "x");
  ASSERT_TRUE(InotifySays(watcher));
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("x"));
}

TEST_F(RegistryWatcherTest, UnreadableFolderIsExplainedOnceRetriedSlowlyAndKeepsWhatWasKnown) {
  const PlainSocket socket(registry_ / "x");
  auto watcher = Watcher();
  watcher.Poll();
  fs::permissions(registry_, fs::perms::none);
  const AsNobody nobody;
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(seconds{60});
    EXPECT_THAT(watcher.Poll().gone, IsEmpty());
  }
  EXPECT_EQ(
      log_.Count("error: cannot look for drivers in " + registry_.string() + ": Permission denied"),
      1);
  EXPECT_EQ(watcher.NextDeadline() - clock_.Now().boot, seconds{60});
  EXPECT_FALSE(watcher.sees_folder());
}

TEST_F(RegistryWatcherTest, AFileInPlaceOfTheFolderIsNamedAsThat) {
  fs::remove(registry_);
  WriteFile(registry_, "no folder");
  auto watcher = Watcher();
  watcher.Poll();
  EXPECT_EQ(
      log_.Count("error: cannot look for drivers in " + registry_.string() + ": Not a directory"),
      1);
}

TEST_F(RegistryWatcherTest, UnreadableSubFolderDoesNotHideTheOthers) {
  fs::create_directory(registry_ / "closed");
  const PlainSocket hidden(registry_ / "closed/x");
  const PlainSocket open(registry_ / "y");
  fs::permissions(registry_ / "closed", fs::perms::none);
  auto watcher = Watcher();
  {
    const AsNobody nobody;
    EXPECT_THAT(Names(watcher.Poll()), ElementsAre("y"));
    EXPECT_EQ(watcher.NextDeadline() - clock_.Now().boot, seconds{10});
  }
  fs::permissions(registry_ / "closed", fs::perms::owner_all);
  clock_.Advance(seconds{10});
  EXPECT_THAT(Names(watcher.Poll()), ElementsAre("x"));
  EXPECT_EQ(log_.Count("no longer closed"), 1);
}

}  // namespace
}  // namespace dra_health

#include "cache/store_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/cache/child.h"
#include "tests/cache/opened_store.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::HasSubstr;

class StoreLockTest : public testing::Test {
 protected:
  // Another process that holds the store until it is killed.
  Child HoldElsewhere() {
    Child child([this](int ready) {
      const auto opened = Store::Open(path_);
      if (!opened || ::write(ready, "x", 1) != 1) return;
      ::pause();
    });
    EXPECT_EQ(child.Read(1), "x");
    return child;
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
};

TEST_F(StoreLockTest, SecondProcessIsTurnedAwayWithTheFirstOnesIdentity) {
  const Child other = HoldElsewhere();
  const auto second = Store::Open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kFatal);
  EXPECT_THAT(second.error().message, HasSubstr(path_.string()));
  EXPECT_THAT(second.error().message, HasSubstr("process " + std::to_string(other.pid())));
}

TEST_F(StoreLockTest, SecondStoreInOneProcessIsTurnedAwayToo) {
  const auto first = OpenStore(path_);
  const auto second = Store::Open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kFatal);
}

TEST_F(StoreLockTest, TwoNamesOfOneFileAreOneStore) {
  const auto first = OpenStore(path_);
  std::filesystem::create_symlink(path_, folder_ / "link.db");
  EXPECT_FALSE(Store::Open(folder_ / "link.db"));
}

TEST_F(StoreLockTest, KilledProcessHoldsNothing) {
  Child other = HoldElsewhere();
  other.Kill();
  EXPECT_TRUE(Succeeded(Store::Open(path_)));
}

TEST_F(StoreLockTest, HolderIsToldWithoutGettingInTheWay) {
  EXPECT_EQ(StoreLock::Holder(path_), std::nullopt) << "there is not even a lock file";
  auto store = OpenStore(path_);
  const auto holder = StoreLock::Holder(path_);
  ASSERT_TRUE(holder);
  EXPECT_THAT(*holder, HasSubstr("process " + std::to_string(::getpid())));
  store.reset();
  EXPECT_EQ(StoreLock::Holder(path_), std::nullopt);
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".lock"));
}

TEST_F(StoreLockTest, ShorterIdentityDoesNotKeepTheEndOfALongerOne) {
  WriteFile(path_.string() + ".lock", "process 99999999 on " + std::string(80, 'x') + "\nrest\n");
  const auto store = OpenStore(path_);
  EXPECT_THAT(StoreLock::Holder(path_).value_or(""), Not(HasSubstr("xxx")));
}

}  // namespace
}  // namespace dra_health

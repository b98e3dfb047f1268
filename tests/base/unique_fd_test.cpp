#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace dra_health {
namespace {

int OpenNull() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(UniqueFd, ClosesWhatItOwns) {
  int number = -1;
  {
    const UniqueFd fd(OpenNull());
    ASSERT_TRUE(fd);
    number = fd.get();
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(UniqueFd, HandsOverWhenMoved) {
  UniqueFd first(OpenNull());
  const int number = first.get();
  const UniqueFd second(std::move(first));
  EXPECT_EQ(second.get(), number);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it holds nothing is the point
  EXPECT_TRUE(IsOpen(number));
}

TEST(UniqueFd, AssigningNothingToATemporaryClosesTheOld) {
  UniqueFd fd(OpenNull());
  const int number = fd.get();
  fd = UniqueFd();
  EXPECT_FALSE(fd);
  EXPECT_FALSE(IsOpen(number));
}

TEST(UniqueFd, IsNothingByDefault) { EXPECT_FALSE(UniqueFd()); }

}  // namespace
}  // namespace dra_health

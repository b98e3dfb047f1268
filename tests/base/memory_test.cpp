#include "base/memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace dra_health {
namespace {

// Kilobytes of this process by a line of /proc/self/status.
long Kilobytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stol(line.substr(name.size()));
  }
  return -1;
}

TEST(ReturnUnusedMemoryTest, CodeThatNobodyRunsIsNotResidentAndComesBackWhenItIsRun) {
  const long before = Kilobytes("RssFile:");
  ASSERT_GT(before, 0);
  ReturnUnusedMemory();
  const long after = Kilobytes("RssFile:");
  EXPECT_LT(after, before);
  EXPECT_EQ(std::string(40, 'x').replace(1, 1, "yz").size(), 41u) << "code still runs";
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their heaps are others
TEST(ReturnUnusedMemoryTest, FreedHeapBetweenBlocksInUseIsGivenBack) {
  std::vector<std::string> freed;
  std::vector<std::string> in_use;
  for (int i = 0; i < 50'000; ++i) {
    freed.emplace_back(1000, 'x');
    if (i % 100 == 0) in_use.emplace_back(1000, 'y');
  }
  freed.clear();
  const long before = Kilobytes("RssAnon:");
  ReturnUnusedMemory();
  EXPECT_LT(Kilobytes("RssAnon:"), before - 25'000);
  EXPECT_EQ(in_use.back(), std::string(1000, 'y'));
}
#endif

}  // namespace
}  // namespace dra_health

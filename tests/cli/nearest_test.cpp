#include "cli/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dra_health {
namespace {

const std::vector<std::string> kWords = {"nodeName", "kubeletRoot", "store", "defaultLease"};

TEST(Nearest, FindsTheWordOfATypo) {
  EXPECT_EQ(Nearest("nodeNmae", kWords), "nodeName");
  EXPECT_EQ(Nearest("kubeletroot", kWords), "kubeletRoot");
  EXPECT_EQ(Nearest("stor", kWords), "store");
  EXPECT_EQ(Nearest("defaultLeases", kWords), "defaultLease");
}

TEST(Nearest, FindsAKeyWrittenLikeAFlag) {
  EXPECT_EQ(Nearest("node-name", kWords), "nodeName");
  EXPECT_EQ(Nearest("--default_lease", kWords), "defaultLease");
}

TEST(Nearest, GuessesNothingForAnotherWord) {
  EXPECT_EQ(Nearest("timeout", kWords), "");
  EXPECT_EQ(Nearest("x", kWords), "");
  EXPECT_EQ(Nearest("", kWords), "");
  EXPECT_EQ(Nearest(std::string(10'000, 's'), kWords), "");
}

}  // namespace
}  // namespace dra_health

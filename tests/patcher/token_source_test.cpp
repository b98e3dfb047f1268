#include "patcher/token_source.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

class TokenFile : public testing::Test {
 protected:
  std::string Current() { return token_.Current(clock_.Now().boot); }

  TempFolder folder_;
  std::filesystem::path file_ = folder_.Write("token", "first\n");
  TokenSource token_{{.file = file_}};
  FakeClock clock_;
};

TEST_F(TokenFile, IsReadAndTrimmed) { EXPECT_EQ(Current(), "first"); }

TEST_F(TokenFile, IsReadAgainAfterAMinuteAndNotBefore) {
  EXPECT_EQ(Current(), "first");
  folder_.Write("token", "second");
  clock_.Advance(std::chrono::seconds{59});
  EXPECT_EQ(Current(), "first");
  clock_.Advance(std::chrono::seconds{1});
  EXPECT_EQ(Current(), "second");
}

TEST_F(TokenFile, IsReadAgainAtOnceWhenTheServerRefusedIt) {
  EXPECT_EQ(Current(), "first");
  folder_.Write("token", "second");
  token_.Reread(clock_.Now().boot);
  EXPECT_EQ(Current(), "second");
}

TEST_F(TokenFile, TheLastGoodOneIsKept) {
  EXPECT_EQ(Current(), "first");
  for (const char* bad : {"", "  \n", "two words", "a\nX-Header: b"}) {
    folder_.Write("token", bad);
    token_.Reread(clock_.Now().boot);
    EXPECT_EQ(Current(), "first") << bad;
  }
  std::filesystem::remove(file_);
  token_.Reread(clock_.Now().boot);
  EXPECT_EQ(Current(), "first");
  folder_.Write("token", "third");
  token_.Reread(clock_.Now().boot);
  EXPECT_EQ(Current(), "third");
}

TEST_F(TokenFile, ASwappedSymlinkIsFollowed) {
  namespace fs = std::filesystem;
  folder_.Write("v1/token", "one");
  folder_.Write("v2/token", "two");
  fs::create_directory_symlink("v1", folder_.path() / "..data");
  TokenSource token({.file = folder_.path() / "..data" / "token"});
  EXPECT_EQ(token.Current(clock_.Now().boot), "one");
  fs::create_directory_symlink("v2", folder_.path() / "new");
  fs::rename(folder_.path() / "new", folder_.path() / "..data");
  clock_.Advance(TokenSource::kMaxAge);
  EXPECT_EQ(token.Current(clock_.Now().boot), "two");
}

TEST(TokenSource, AFixedTokenStays) {
  TokenSource token({.text = " fixed\n"});
  EXPECT_EQ(token.Current(BootTime{}), "fixed");
  token.Reread(BootTime{std::chrono::hours{1}});
  EXPECT_EQ(token.Current(BootTime{std::chrono::hours{2}}), "fixed");
  EXPECT_EQ(TokenSource({}).Current(BootTime{}), "");
}

}  // namespace
}  // namespace dra_health

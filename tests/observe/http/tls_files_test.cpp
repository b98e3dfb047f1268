#include "observe/tls_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/api_server/certificates.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::HasSubstr;

class TlsFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto made = sim::MakeCertificates();
    const auto more = sim::MakeCertificates();
    ASSERT_TRUE(made && more);
    first = *made;
    second = *more;
    Write("tls.crt", first.server);
    Write("tls.key", first.server_key);
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  }
  Result<std::shared_ptr<TlsFiles>> Load() {
    return TlsFiles::Load(folder / "tls.crt", folder / "tls.key");
  }
  std::string ErrorOfLoad() {
    const auto files = Load();
    return files ? "" : files.error().message;
  }

  const TempFolder folder;
  sim::Certificates first, second;
};

TEST_F(TlsFilesTest, SaysWhichFileCannotBeUsed) {
  Write("tls.crt", "");
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("no certificate in PEM form in " + folder.path().string()));
  Write("tls.crt", first.server);
  Write("tls.key", first.server);
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("no private key in PEM form, unencrypted, in "));
  Write("tls.key", second.server_key);
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("is not that of the certificate in"));
  std::filesystem::remove(folder / "tls.key");
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("cannot read " + (folder / "tls.key").string()));
}

TEST_F(TlsFilesTest, UnchangedFilesAreNotReadAgain) {
  const auto files = *Load();
  EXPECT_EQ(files->Current(), files->Current());
}

TEST_F(TlsFilesTest, BetweenTheTwoFilesTheLastPairHolds) {
  const auto files = *Load();
  Write("tls.crt", second.server);
  EXPECT_EQ(files->Current()->certificate, first.server);
  Write("tls.key", second.server_key);
  EXPECT_EQ(files->Current()->certificate, second.server);
  EXPECT_EQ(files->Current()->key, second.server_key);
}

TEST_F(TlsFilesTest, FilesThatAreGoneComeBack) {
  const auto files = *Load();
  std::filesystem::remove(folder / "tls.crt");
  EXPECT_EQ(files->Current()->certificate, first.server);
  Write("tls.crt", second.server);
  Write("tls.key", second.server_key);
  EXPECT_EQ(files->Current()->certificate, second.server);
}

// As the kubelet updates a volume of a Secret.
TEST_F(TlsFilesTest, AFolderBehindALinkIsFollowed) {
  for (const auto* certificates : {&first, &second}) {
    const std::string name = certificates == &first ? "one" : "two";
    std::filesystem::create_directory(folder / name);
    Write(name + "/tls.crt", certificates->server);
    Write(name + "/tls.key", certificates->server_key);
  }
  std::filesystem::create_directory_symlink("one", folder / "data");
  const auto files = *TlsFiles::Load(folder / "data/tls.crt", folder / "data/tls.key");
  std::filesystem::create_directory_symlink("two", folder / "data_tmp");
  std::filesystem::rename(folder / "data_tmp", folder / "data");
  EXPECT_EQ(files->Current()->certificate, second.server);
}

}  // namespace
}  // namespace dra_health

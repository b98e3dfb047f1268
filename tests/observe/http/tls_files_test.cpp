#include "observe/tls_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <boost/asio/ssl/context.hpp>

#include "sim/api_server/certificates.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::HasSubstr;

// PEM of the certificate that `files` serve now.
std::string Served(TlsFiles& files) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
  const auto server = files.Current();
  PEM_write_bio_X509(text.get(), SSL_CTX_get0_certificate(server->native_handle()));
  const char* data = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

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
  EXPECT_THAT(ErrorOfLoad(),
              HasSubstr("no certificate (PEM) that can be used in " + folder.path().string()));
  Write("tls.crt", first.server);
  Write("tls.key", first.server);
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("no private key (PEM, unencrypted) of the certificate in "));
  Write("tls.key", second.server_key);
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("key values mismatch"));
  std::filesystem::remove(folder / "tls.key");
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("cannot read " + (folder / "tls.key").string()));
}

// Opening a FIFO waits for somebody to write into it.
TEST_F(TlsFilesTest, AFileThatIsNoneIsNotWaitedFor) {
  std::filesystem::remove(folder / "tls.key");
  ASSERT_EQ(mkfifo((folder / "tls.key").c_str(), 0600), 0);
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("tls.key: not a regular file"));
  std::filesystem::remove(folder / "tls.crt");
  std::filesystem::create_directory(folder / "tls.crt");
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("tls.crt: not a regular file"));
}

TEST_F(TlsFilesTest, AllOfTheChainMustBeUsable) {
  Write("tls.crt",
        first.server + "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n");
  EXPECT_THAT(ErrorOfLoad(), HasSubstr("no certificate (PEM) that can be used in "));
}

TEST_F(TlsFilesTest, UnchangedFilesAreNotReadAgain) {
  const auto files = *Load();
  EXPECT_EQ(files->Current(), files->Current());
}

TEST_F(TlsFilesTest, BetweenTheTwoFilesTheLastPairHolds) {
  const auto files = *Load();
  Write("tls.crt", second.server);
  EXPECT_EQ(Served(*files), first.server);
  Write("tls.key", second.server_key);
  EXPECT_EQ(Served(*files), second.server);
}

TEST_F(TlsFilesTest, FilesThatAreGoneComeBack) {
  const auto files = *Load();
  std::filesystem::remove(folder / "tls.crt");
  EXPECT_EQ(Served(*files), first.server);
  Write("tls.crt", second.server);
  Write("tls.key", second.server_key);
  EXPECT_EQ(Served(*files), second.server);
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
  EXPECT_EQ(Served(*files), second.server);
}

}  // namespace
}  // namespace dra_health

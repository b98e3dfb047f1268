#include "patcher/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::HasSubstr;

TEST(ServerAddress, TakesHostPortAndPathApart) {
  const auto address = ParseServerAddress("https://api.example.com:6443/k8s/clusters/a/");
  ASSERT_TRUE(address);
  EXPECT_TRUE(address->tls);
  EXPECT_EQ(address->host, "api.example.com");
  EXPECT_EQ(address->port, 6443);
  EXPECT_EQ(address->path, "/k8s/clusters/a");
  EXPECT_EQ(address->Url(), "https://api.example.com:6443/k8s/clusters/a");
}

TEST(ServerAddress, KnowsIpLiterals) {
  const auto v6 = ParseServerAddress("https://[fd00::1]:6443");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "fd00::1");
  EXPECT_EQ(v6->HostAndPort(), "[fd00::1]:6443");
  EXPECT_TRUE(IsIpLiteral(v6->host));
  const auto v4 = ParseServerAddress("https://10.96.0.1");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->HostAndPort(), "10.96.0.1:443");
  EXPECT_TRUE(IsIpLiteral(v4->host));
  EXPECT_FALSE(IsIpLiteral("api.example.com"));
  EXPECT_FALSE(IsIpLiteral("1234"));
}

TEST(ServerAddress, PortsHaveTheirSchemesDefault) {
  EXPECT_EQ(ParseServerAddress("https://a")->port, 443);
  EXPECT_EQ(ParseServerAddress("http://a")->port, 80);
  EXPECT_FALSE(ParseServerAddress("http://a")->tls);
  EXPECT_EQ(ParseServerAddress("https://[::1]")->port, 443);
}

TEST(ServerAddress, RefusesWhatIsNone) {
  for (const char* url :
       {"", "api.example.com", "ftp://a", "https://", "https://:6443", "https://a:0", "https://a:x",
        "https://a:99999", "https://a:", "https://a b", "https://[::1", "https://[a]:1",
        "https://::1:6443", "https://user@a", "https://a?x=1", "https://a/#f", "https://a/b c",
        "https://a\r\nX: y"}) {
    const auto address = ParseServerAddress(url);
    ASSERT_FALSE(address) << url;
    EXPECT_THAT(address.error(), HasSubstr("allowed are https://HOST[:PORT]"));
  }
}

class InCluster : public testing::Test {
 protected:
  TempFolder folder_;
};

TEST_F(InCluster, UsesTheServiceAccountsFiles) {
  folder_.Write("token", "t");
  folder_.Write("ca.crt", "c");
  const auto credentials = InClusterCredentials("10.96.0.1", "443", folder_.path());
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->server.Url(), "https://10.96.0.1:443");
  EXPECT_EQ(credentials->token.file, folder_.path() / "token");
  EXPECT_EQ(credentials->tls.ca.file, folder_.path() / "ca.crt");
  EXPECT_FALSE(credentials->tls.skip_verify);
}

TEST_F(InCluster, PutsIpv6AddressesIntoBrackets) {
  folder_.Write("token", "t");
  folder_.Write("ca.crt", "c");
  const auto credentials = InClusterCredentials("fd00::1", "6443", folder_.path());
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->server.Url(), "https://[fd00::1]:6443");
}

TEST_F(InCluster, SaysWhatIsMissing) {
  const auto no_server = InClusterCredentials("", "", folder_.path());
  ASSERT_FALSE(no_server);
  EXPECT_EQ(no_server.error().kind, ErrorKind::kFatal);
  EXPECT_THAT(no_server.error().message, HasSubstr("KUBERNETES_SERVICE_HOST"));
  EXPECT_THAT(no_server.error().message, HasSubstr("kubeconfig"));
  const auto no_token = InClusterCredentials("10.96.0.1", "443", folder_.path());
  ASSERT_FALSE(no_token);
  EXPECT_THAT(no_token.error().message, HasSubstr((folder_.path() / "token").string()));
  EXPECT_THAT(no_token.error().message, HasSubstr("No such file"));
  EXPECT_FALSE(InClusterCredentials("10.96.0.1", "https", folder_.path()));
}

TEST(ReadTextFile, SaysWhyNot) {
  const TempFolder folder;
  EXPECT_EQ(*ReadTextFile(folder.Write("a", "text\n")), "text\n");
  EXPECT_THAT(ReadTextFile(folder.path()).error().message, HasSubstr("it is a folder"));
  EXPECT_THAT(ReadTextFile(folder.path() / "none").error().message, HasSubstr("No such file"));
  EXPECT_THAT(ReadTextFile("/dev/zero").error().message, HasSubstr("larger than 16 MiB"));
}

}  // namespace
}  // namespace dra_health

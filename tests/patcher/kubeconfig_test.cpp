#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "patcher/credentials.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Lines 1 to 12; a test's cluster fields start at line 12, its user's at line 6.
std::string Config(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\n"
         "kind: Config\n"
         "current-context: here\n"
         "users:\n"
         "- name: agent\n"
         "  user: {" +
         user +
         "}\n"
         "contexts:\n"
         "- name: here\n"
         "  context: {cluster: local, user: agent}\n"
         "clusters:\n"
         "- name: local\n"
         "  cluster: {" +
         cluster + "}\n";
}

const char* const kServer = "server: 'https://127.0.0.1:6443'";

class Kubeconfig : public testing::Test {
 protected:
  Result<Credentials> Load(const std::string& text) {
    return ReadKubeconfig(folder_.Write("config", text));
  }
  std::string ErrorOf(const std::string& text) {
    const auto loaded = Load(text);
    EXPECT_FALSE(loaded) << text;
    if (loaded) return "";
    EXPECT_EQ(loaded.error().kind, ErrorKind::kFatal);
    EXPECT_THAT(loaded.error().message, HasSubstr((folder_.path() / "config").string()));
    return loaded.error().message;
  }
  TempFolder folder_;
};

TEST_F(Kubeconfig, TakesAToken) {
  const auto credentials = Load(Config(kServer, "token: secret"));
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->server.Url(), "https://127.0.0.1:6443");
  EXPECT_EQ(credentials->token.text, "secret");
  EXPECT_TRUE(credentials->tls.ca.empty());
  EXPECT_FALSE(credentials->tls.skip_verify);
}

TEST_F(Kubeconfig, FindsFilesRelativeToItself) {
  folder_.Write("pki/ca.pem", "ca");
  folder_.Write("pki/me.pem", "cert");
  folder_.Write("pki/me.key", "key");
  const auto credentials = Load(Config(std::string(kServer) + ", certificate-authority: pki/ca.pem",
                                       "client-certificate: pki/me.pem, client-key: ./pki/me.key"));
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(*ReadText(credentials->tls.ca), "ca");
  EXPECT_EQ(*ReadText(credentials->tls.certificate), "cert");
  EXPECT_EQ(*ReadText(credentials->tls.key), "key");
}

TEST_F(Kubeconfig, TakesAbsolutePathsAsTheyAre) {
  const auto file = folder_.Write("elsewhere/token", "t");
  const auto credentials = Load(Config(kServer, "tokenFile: " + file.string()));
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->token.file, file);
}

TEST_F(Kubeconfig, InlineDataWinsOverFiles) {
  const auto credentials = Load(Config(
      std::string(kServer) + ", certificate-authority: none.pem, certificate-authority-data: Y2E=",
      "client-certificate-data: Y2VydA==, client-key-data: a2V5"));
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(*ReadText(credentials->tls.ca), "ca");
  EXPECT_EQ(*ReadText(credentials->tls.certificate), "cert");
  EXPECT_EQ(*ReadText(credentials->tls.key), "key");
}

TEST_F(Kubeconfig, ATokenFileWinsOverAToken) {
  folder_.Write("token", "fresh");
  const auto credentials = Load(Config(kServer, "token: stale, tokenFile: token"));
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(*ReadText(credentials->token), "fresh");
}

TEST_F(Kubeconfig, TakesTheServersTlsSettings) {
  const auto credentials = Load(
      Config(std::string(kServer) + ", tls-server-name: kubernetes, insecure-skip-tls-verify: true",
             "token: t"));
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->tls.server_name, "kubernetes");
  EXPECT_TRUE(credentials->tls.skip_verify);
}

TEST_F(Kubeconfig, AContextWithoutUserIsAnonymous) {
  std::string text = Config(kServer, "");
  text.replace(text.find(", user: agent"), std::string(", user: agent").size(), "");
  const auto credentials = Load(text);
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_TRUE(credentials->token.empty());
}

TEST_F(Kubeconfig, RefusesToRunPrograms) {
  EXPECT_THAT(ErrorOf(Config(kServer, "exec: {command: aws}")),
              AllOf(HasSubstr("config:6: "), HasSubstr("user \"agent\": exec is refused"),
                    HasSubstr("allowed are token, tokenFile")));
}

TEST_F(Kubeconfig, RefusesWhatItCannotHonour) {
  for (const char* user :
       {"auth-provider: {name: gcp}", "username: u", "password: p", "as: root", "as-groups: [a]"}) {
    EXPECT_THAT(ErrorOf(Config(kServer, user)), HasSubstr(" is refused; allowed are ")) << user;
  }
  EXPECT_THAT(ErrorOf(Config(std::string(kServer) + ", proxy-url: 'http://p'", "token: t")),
              HasSubstr("config:12: proxy-url is not supported"));
}

TEST_F(Kubeconfig, NamesTheLineOfABadServer) {
  EXPECT_THAT(ErrorOf(Config("server: 127.0.0.1", "token: t")),
              AllOf(HasSubstr("config:12: server: \"127.0.0.1\" is no server address"),
                    HasSubstr("allowed are https://")));
  EXPECT_THAT(ErrorOf(Config("insecure-skip-tls-verify: false", "token: t")),
              HasSubstr("config:12: server: \"\" is no server address"));
}

TEST_F(Kubeconfig, NamesTheFileThatIsMissing) {
  EXPECT_THAT(ErrorOf(Config(std::string(kServer) + ", certificate-authority: no.pem", "token: t")),
              AllOf(HasSubstr("config:12: certificate-authority: cannot read "),
                    HasSubstr("no.pem: No such file")));
  EXPECT_THAT(ErrorOf(Config(kServer, "tokenFile: no-token")),
              HasSubstr("config:6: tokenFile: cannot read "));
}

TEST_F(Kubeconfig, CertificateAndKeyBelongTogether) {
  EXPECT_THAT(ErrorOf(Config(kServer, "client-certificate-data: Y2VydA==")),
              HasSubstr("client certificate and key belong together"));
}

TEST_F(Kubeconfig, RefusesDataThatIsNoBase64) {
  EXPECT_THAT(ErrorOf(Config(kServer, "client-certificate-data: '!!', client-key-data: a2V5")),
              HasSubstr("config:6: client-certificate-data is not base64"));
  EXPECT_THAT(
      ErrorOf(Config(kServer, "client-certificate-data: 'Y\u00e9==', client-key-data: a2V5")),
      HasSubstr("config:6: client-certificate-data is not base64"));
}

TEST_F(Kubeconfig, NamesTheChoicesOfAMissingContext) {
  std::string text = Config(kServer, "token: t");
  text.replace(text.find("here"), 4, "away");
  EXPECT_THAT(ErrorOf(text), AllOf(HasSubstr("config:3: there is no context \"away\""),
                                   HasSubstr("the names in contexts: here")));
  text = Config(kServer, "token: t");
  text.replace(text.find("current-context: here\n"), 22, "");
  EXPECT_THAT(ErrorOf(text), HasSubstr("current-context is not set"));
  text = Config(kServer, "token: t");
  text.replace(text.find("cluster: local"), 14, "cluster: other");
  EXPECT_THAT(ErrorOf(text), HasSubstr("there is no cluster \"other\""));
}

TEST_F(Kubeconfig, WhatIsNoKubeconfigIsAnErrorWithALine) {
  EXPECT_THAT(ErrorOf("a: b\nc: [\n"), HasSubstr("config:3: not YAML"));
  EXPECT_THAT(ErrorOf("- a\n"), HasSubstr("config:1: not a kubeconfig"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("config:1: not a kubeconfig"));
  for (const char* text :
       {"", "text", "current-context: [a]", "current-context: a\ncontexts: b\n",
        "current-context: a\ncontexts: [b]\n", "current-context: a\ncontexts: [{name: a}]\n",
        "current-context: a\ncontexts: [{name: {}, context: 5}]\n", "{}", "? {a: b}\n: c\n",
        "current-context: a\ncontexts: [{name: a, context: {cluster: [c]}}]\n"}) {
    EXPECT_FALSE(Load(text)) << text;
  }
}

TEST_F(Kubeconfig, MessagesArePrintableWhateverTheyQuote) {
  EXPECT_THAT(ErrorOf("current-context: \"a\\e[31m\"\n"), HasSubstr("\"a [31m\""));
}

TEST_F(Kubeconfig, AMissingFileIsNamed) {
  const auto loaded = ReadKubeconfig(folder_.path() / "none");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, AllOf(HasSubstr("none"), HasSubstr("No such file")));
}

}  // namespace
}  // namespace dra_health

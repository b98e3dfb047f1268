// The command of the probes, asking a listener that says what the test wants.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "observe/health_page.h"
#include "observe/http/beast_listener.h"
#include "patcher/http_threads.h"
#include "sim/api_server/certificates.h"
#include "tests/observe/http/raw_client.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class HealthCommandTest : public testing::Test {
 protected:
  void Listen(std::shared_ptr<TlsFiles> tls = nullptr) {
    StartHttpThreads();
    auto opened =
        OpenHttpListener({"127.0.0.1", port}, std::move(tls),
                         [this](const PageRequest& request, const Listener::Answer& answer) {
                           asked = request.path;
                           answer([this, name = request.path.substr(1)] {
                             return other_program ? Page{200, "text/html", "<html>"}
                                                  : HealthPage(name, {{"store", trouble}}, true);
                           });
                         });
    ASSERT_TRUE(opened) << opened.error().message;
    listener = *std::move(opened);
  }

  int Call(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"--listen-address", "127.0.0.1:" + std::to_string(port)});
    return CallAs(std::move(arguments));
  }
  int CallAs(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "health");
    Outcome outcome = RunProgram(std::move(arguments));
    out = std::move(outcome.out);
    err = std::move(outcome.err);
    return outcome.exit_code;
  }

  const std::uint16_t port = FreePort();
  std::string trouble, asked, out, err;
  bool other_program = false;
  std::unique_ptr<Listener> listener;
};

TEST_F(HealthCommandTest, SaysWhatTheAgentSays) {
  Listen();
  EXPECT_EQ(Call(), kExitOk);
  EXPECT_EQ(asked, "/healthz");
  EXPECT_EQ(out, "[+]store ok\nhealthz check passed\n");
  EXPECT_THAT(err, IsEmpty());
}

TEST_F(HealthCommandTest, AsksForReadinessWhenToldSo) {
  Listen();
  trouble = "disk full";
  EXPECT_EQ(Call({"--ready"}), kExitUnhealthy);
  EXPECT_EQ(asked, "/readyz");
  EXPECT_EQ(out, "[-]store failed: disk full\nreadyz check failed\n");
}

TEST_F(HealthCommandTest, NobodyIsNotUnhealthy) {
  EXPECT_EQ(Call(), kExitNoAnswer);
  EXPECT_THAT(err,
              HasSubstr("no answer at 127.0.0.1:" + std::to_string(port) + ": cannot connect"));
}

TEST_F(HealthCommandTest, AnotherProgramIsNotTheAgent) {
  Listen();
  other_program = true;
  EXPECT_EQ(Call(), kExitNoAnswer);
  EXPECT_THAT(err, HasSubstr("is no dra-health-agent (HTTP status 200)"));
}

TEST_F(HealthCommandTest, FindsOutThatTheAgentUsesTls) {
  const auto made = sim::MakeCertificates();
  ASSERT_TRUE(made);
  const TempFolder folder;
  const auto files = TlsFiles::Load(folder.Write("tls.crt", made->server),
                                    folder.Write("tls.key", made->server_key));
  ASSERT_TRUE(files);
  Listen(*files);
  EXPECT_EQ(Call(), kExitOk) << err;
}

TEST_F(HealthCommandTest, ReadsTheAddressFromTheConfigurationFile) {
  Listen();
  const TempFolder folder;
  const auto config =
      folder.Write("config.yaml", "listenAddress: 127.0.0.1:" + std::to_string(port) + "\n");
  EXPECT_EQ(CallAs({"--config", config.string()}), kExitOk) << err;
}

TEST_F(HealthCommandTest, WhereTheAgentListensNowhereItCannotBeAsked) {
  EXPECT_EQ(CallAs({"--listen-address", "off"}), kExitUsage);
  EXPECT_THAT(err, HasSubstr("off"));
}

TEST_F(HealthCommandTest, AWrongAddressIsWrongUsage) {
  EXPECT_EQ(CallAs({"--listen-address", "[::1]:1"}), kExitUsage);
  EXPECT_THAT(err, HasSubstr("--listen-address: '[::1]:1' is an IPv6 address; allowed: an IPv4"));
}

}  // namespace
}  // namespace dra_health

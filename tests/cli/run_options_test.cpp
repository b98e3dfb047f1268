#include "cli/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "cli/option_table.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Environment FakeEnvironment(const std::map<std::string, std::string>& variables) {
  return [=](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

const Environment kNoEnvironment = FakeEnvironment({});

TEST(RunOptions, HaveTheDocumentedDefaults) {
  const auto options = ResolveRunOptions({{"node-name", "node-1"}}, kNoEnvironment);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->agent.store, "/var/lib/dra-health-agent/health.db");
  EXPECT_EQ(options->agent.discovery.registration_dir, "/var/lib/kubelet/plugins_registry");
  EXPECT_EQ(options->agent.discovery.max_report_bytes, 16u << 20);
  EXPECT_EQ(options->agent.settings.default_lease, 30s);
  EXPECT_EQ(options->agent.settings.retention, 168h);
  EXPECT_EQ(options->agent.api.kubeconfig, "");
  EXPECT_EQ(options->agent.api.workers, 4u);
  EXPECT_EQ(options->agent.api.timeout, 10s);
  EXPECT_FALSE(options->agent.settings.dry_run);
  EXPECT_EQ(options->log_level, spdlog::level::info);
  EXPECT_EQ(options->log_format, "text");
}

TEST(RunOptions, NeedANodeName) {
  const auto options = ResolveRunOptions({}, kNoEnvironment);
  ASSERT_FALSE(options);
  EXPECT_THAT(options.error(),
              ElementsAre(HasSubstr("--node-name, NODE_NAME or the key nodeName")));
}

TEST(RunOptions, FlagsOverrideTheEnvironmentAndItOverridesTheFile) {
  const TempFolder folder;
  const auto file = folder.Write("config.yaml",
                                 "nodeName: file\n"
                                 "defaultLease: 1s\nreportGrace: 1s\nmessageInterval: 1s\n");
  const auto options = ResolveRunOptions(
      {{"config", file}, {"default-lease", "3s"}},
      FakeEnvironment({{"DRA_HEALTH_DEFAULT_LEASE", "2s"}, {"DRA_HEALTH_REPORT_GRACE", "2s"}}));
  ASSERT_TRUE(options) << options.error().front();
  EXPECT_EQ(options->agent.settings.default_lease, 3s);
  EXPECT_EQ(options->agent.settings.report_grace, 2s);
  EXPECT_EQ(options->agent.settings.message_interval, 1s);
  EXPECT_EQ(options->agent.api.node_name, "file");
}

TEST(RunOptions, TheEnvironmentCanNameTheFileAndAFlagAnother) {
  const TempFolder folder;
  const auto one = folder.Write("one.yaml", "nodeName: one\n");
  const auto two = folder.Write("two.yaml", "nodeName: two\n");
  const auto environment = FakeEnvironment({{"DRA_HEALTH_CONFIG", one}});
  EXPECT_EQ(ResolveRunOptions({}, environment)->agent.api.node_name, "one");
  EXPECT_EQ(ResolveRunOptions({{"config", two}}, environment)->agent.api.node_name, "two");
}

TEST(RunOptions, TheWellKnownVariablesKeepTheirNames) {
  const auto options = ResolveRunOptions(
      {}, FakeEnvironment({{"NODE_NAME", "node-1"}, {"KUBECONFIG", "/root/.kube/config"}}));
  ASSERT_TRUE(options);
  EXPECT_EQ(options->agent.api.node_name, "node-1");
  EXPECT_EQ(options->agent.api.kubeconfig, "/root/.kube/config");
}

TEST(RunOptions, AnEmptyVariableCountsAsUnset) {
  const auto options =
      ResolveRunOptions({}, FakeEnvironment({{"NODE_NAME", "n"}, {"KUBECONFIG", ""}}));
  ASSERT_TRUE(options);
  EXPECT_EQ(options->agent.api.kubeconfig, "");
}

TEST(RunOptions, TheRegistrationFolderFollowsTheKubeletRootUnlessItIsGiven) {
  const FlagValues root = {{"node-name", "n"}, {"kubelet-root", "/data/kubelet"}};
  EXPECT_EQ(ResolveRunOptions(root, kNoEnvironment)->agent.discovery.registration_dir,
            "/data/kubelet/plugins_registry");
  FlagValues both = root;
  both["registration-dir"] = "/elsewhere";
  EXPECT_EQ(ResolveRunOptions(both, kNoEnvironment)->agent.discovery.registration_dir,
            "/elsewhere");
}

TEST(RunOptions, TheDeviceLimitHoldsForOneReportToo) {
  const auto options =
      ResolveRunOptions({{"node-name", "n"}, {"max-devices-per-driver", "10"}}, kNoEnvironment);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->agent.settings.max_devices_per_driver, 10u);
  EXPECT_EQ(options->agent.discovery.max_devices_per_report, 10u);
}

TEST(RunOptions, MistakesOfAllSourcesAreReportedTogetherEachWithItsPlace) {
  const TempFolder folder;
  const auto file = folder.Write("config.yaml", "apiConnections: 65\n");
  const auto options = ResolveRunOptions({{"config", file}, {"api-connections", "many"}},
                                         FakeEnvironment({{"DRA_HEALTH_API_CONNECTIONS", "0"}}));
  ASSERT_FALSE(options);
  EXPECT_THAT(
      options.error(),
      ElementsAre(file.string() + ":1: key 'apiConnections': '65' is too large; allowed: 1 to 64",
                  "DRA_HEALTH_API_CONNECTIONS: '0' is too small; allowed: 1 to 64",
                  "--api-connections: 'many' is no whole number; allowed: 1 to 64"));
}

// What each setting refuses does not depend on where the text stands.
TEST(RunOptions, EverySettingRefusesTheSameTextsFromAllSources) {
  const TempFolder folder;
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      if (setting.kind == "PATH") continue;  // any text is one
      const std::string wrong = "!wrong!";
      const auto from_flag = ResolveRunOptions({{setting.name, wrong}}, kNoEnvironment);
      const auto from_variable =
          ResolveRunOptions({}, FakeEnvironment({{EnvironmentName(setting), wrong}}));
      const auto file = folder.Write("c.yaml", KeyName(setting.name) + ": '" + wrong + "'\n");
      const auto from_file = ResolveRunOptions({{"config", file}}, kNoEnvironment);
      for (const auto* const options : {&from_flag, &from_variable, &from_file}) {
        ASSERT_FALSE(*options) << setting.name;
        EXPECT_THAT(options->error(), ElementsAre(HasSubstr("'!wrong!'"))) << setting.name;
      }
    }
  }
}

TEST(RunOptions, TheListenerIsRequiredOnlyWhereItIsNamed) {
  auto options = ResolveRunOptions({{"node-name", "n"}}, kNoEnvironment);
  EXPECT_EQ(options->agent.observe.address.ToString(), "127.0.0.1:10468");
  EXPECT_FALSE(options->agent.observe.required);
  options = ResolveRunOptions({{"node-name", "n"}},
                              FakeEnvironment({{"DRA_HEALTH_LISTEN_ADDRESS", "127.0.0.1:10468"}}));
  EXPECT_TRUE(options->agent.observe.required);
  options = ResolveRunOptions({{"node-name", "n"}, {"listen-address", "off"}}, kNoEnvironment);
  EXPECT_TRUE(options->agent.observe.address.off());
}

TEST(RunOptions, OtherMachinesAreServedOnlyByTls) {
  FlagValues flags{{"node-name", "n"}, {"listen-address", "0.0.0.0:10468"}};
  const auto refused = ResolveRunOptions(flags, kNoEnvironment);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), ElementsAre(HasSubstr("--listen-address: '0.0.0.0:10468' can be "
                                                     "reached from other machines; allowed: ")));
  flags["tls-cert-file"] = "/tls.crt";
  EXPECT_THAT(ResolveRunOptions(flags, kNoEnvironment).error(),
              ElementsAre(HasSubstr("allowed: both or none")));
  flags["tls-private-key-file"] = "/tls.key";
  const auto options = ResolveRunOptions(flags, kNoEnvironment);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->agent.observe.tls_key, "/tls.key");
}

TEST(RunOptions, WhoOnlyAsksNeedsNeitherNodeNameNorCertificate) {
  const auto observe = ResolveObserveOptions({{"listen-address", "0.0.0.0:1"}}, kNoEnvironment);
  ASSERT_TRUE(observe);
  EXPECT_EQ(observe->address.port, 1);
}

TEST(OptionTable, NamesAreThereOnceAndFollowTheConventions) {
  std::set<std::string> flags;
  std::set<std::string> variables;
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      EXPECT_TRUE(flags.insert(setting.name).second) << setting.name;
      EXPECT_TRUE(variables.insert(EnvironmentName(setting)).second) << setting.name;
      EXPECT_FALSE(setting.help.empty() || setting.allowed.empty()) << setting.name;
      EXPECT_FALSE(DefaultText(setting).empty()) << setting.name;
    }
  }
  EXPECT_EQ(KeyName("max-devices-per-driver"), "maxDevicesPerDriver");
  EXPECT_EQ(EnvironmentName("max-devices-per-driver"), "DRA_HEALTH_MAX_DEVICES_PER_DRIVER");
}

TEST(OptionTable, EveryDefaultIsAnAllowedValue) {
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      RunOptions options;
      const std::string shown = setting.show(options);
      if (shown.empty()) continue;  // nothing is set
      ASSERT_TRUE(setting.set(options, shown)) << setting.name << ": " << shown;
      EXPECT_EQ(setting.show(options), shown) << setting.name;
    }
  }
}

}  // namespace
}  // namespace dra_health

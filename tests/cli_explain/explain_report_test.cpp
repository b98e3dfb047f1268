#include "cli/explain_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/table_text.h"
#include "tests/cache/opened_store.h"
#include "tests/cli_explain/stored.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kSentencesAndFacts =
    R"(Pod jobs/train-0

Device gpu.example.com/node-1/gpu-0 had turned Unhealthy 12 s before container train ended with code 137 (Error): Xid 79 <gone> &  [31m.

Before that, newest first:
- Nothing is known to have been wrong when container train ended with code 1 (Error): its device gpu.example.com/node-1/gpu-0 had been Healthy throughout; it turned Unhealthy only 38 s after that (Xid 79 <gone> &  [31m).

UID              uid-2
State            present
First seen       2027-01-15T08:01:35Z
Container train  started 2027-01-15T08:02:40Z, ended 2027-01-15T08:03:20Z with code 137 (Error), restart 1

)";

constexpr const char* kMoments =
    R"(
TIME                  WHAT            OF                            DETAILS
2027-01-15T08:01:35Z  pod first seen  jobs/train-0                  -
2027-01-15T08:01:36Z  allocated       gpu.example.com/node-1/gpu-0  it was Healthy: changed at 5
2027-01-15T08:01:40Z  started         container train               -
2027-01-15T08:02:30Z  ended           container train               with code 1 (Error)
2027-01-15T08:02:40Z  started         container train               restart 1
2027-01-15T08:03:08Z  turned          gpu.example.com/node-1/gpu-0  from Healthy to Unhealthy: Xid 79 <gone> &  [31m
2027-01-15T08:03:20Z  ended           container train               restart 1, with code 137 (Error)

Note: 1 other pod has had this name; --uid explains it: uid-1 (deleted 2027-01-15T08:01:00Z).
)";

class ExplainReportTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(FailedPod()))); }

  std::string Report(ExplainTopic topic, const std::string& name, ExplainArguments arguments = {}) {
    arguments.store = path_.string();
    arguments.name = name;
    std::ostringstream out;
    std::ostringstream err;
    exit_code_ = ReportExplanation(ParseExplainRequest(topic, arguments).value(),
                                   {out, err, terminal_, At(1000)});
    err_ = err.str();
    return out.str();
  }
  std::string Pod(ExplainArguments arguments = {}) {
    return Report(ExplainTopic::kPod, "jobs/train-0", std::move(arguments));
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
  Terminal terminal_;
  ExitCode exit_code_ = kExitFailure;
  std::string err_;
};

TEST_F(ExplainReportTest, PodAsText) {
  const std::string text = Pod();
  EXPECT_THAT(text, StartsWith(kSentencesAndFacts));
  EXPECT_THAT(text, EndsWith(kMoments));
  EXPECT_THAT(text, HasSubstr("\ngpu.example.com/node-1/gpu-0  Unhealthy    held in train by claim "
                              "claim-of-uid-2, request req  Xid 79 <gone> &  [31m\n"));
  EXPECT_EQ(exit_code_, kExitOk);
  EXPECT_THAT(err_, IsEmpty());
}

TEST_F(ExplainReportTest, ANarrowTerminalIsNotExceeded) {
  terminal_.width = 60;
  std::istringstream lines(Pod());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(DisplayWidth(line), 60U) << line;
  }
}

TEST_F(ExplainReportTest, ColourIsForTerminals) {
  EXPECT_THAT(Pod(), Not(HasSubstr("\x1b")));
  terminal_.colour = true;
  EXPECT_THAT(Pod(), AllOf(HasSubstr("\x1b[31mUnhealthy\x1b[0m"),
                           HasSubstr("\x1b[31mturned\x1b[0m"), HasSubstr("\x1b[31mended\x1b[0m")));
}

TEST_F(ExplainReportTest, PodAsJson) {
  const json pod = json::parse(Pod({.format = "json"}));
  EXPECT_EQ(pod.at("title"), "Pod jobs/train-0");
  EXPECT_EQ(pod.at("verdict").at("finding"), "UnhealthyBefore");
  EXPECT_THAT(pod.at("verdict").at("sentence").get<std::string>(), HasSubstr("12 s before"));
  EXPECT_EQ(pod.at("earlier").at(0).at("finding"), "UnhealthyAfter");
  EXPECT_EQ(pod.at("facts").at(0), json::parse(R"({"name": "UID", "value": "uid-2"})"));
  const json device = {{"name", "gpu.example.com/node-1/gpu-0"},
                       {"held", "held in train by claim claim-of-uid-2, request req"},
                       {"health", "Unhealthy"},
                       {"text", "Xid 79 <gone> & \x1b[31m"}};
  EXPECT_EQ(pod.at("devices"), json::array({device}));
  EXPECT_EQ(pod.at("notes").size(), 1U);
  const json span = {{"from", "2027-01-15T08:02:40.000Z"},
                     {"to", "2027-01-15T08:03:20.000Z"},
                     {"state", "EndedBadly"},
                     {"text", "restart 1, ended with code 137 (Error)"}};
  EXPECT_EQ(pod.at("lanes").at(0).at("spans").at(1), span);
  EXPECT_EQ(pod.at("moments").at(5).at("health"), "Unhealthy");
  EXPECT_EQ(pod.at("moments").at(6).at("failed"), true);
  EXPECT_FALSE(pod.at("moments").at(2).contains("failed"));
}

TEST_F(ExplainReportTest, AUidChoosesAmongPodsOfOneName) {
  EXPECT_THAT(Pod({.uid = "uid-1"}), AllOf(HasSubstr("deleted"), HasSubstr("code 0 (Completed)")));
}

TEST_F(ExplainReportTest, DeviceAsText) {
  const std::string text = Report(ExplainTopic::kDevice, "gpu.example.com/node-1/gpu-0");
  EXPECT_THAT(text, AllOf(HasSubstr("Device gpu.example.com/node-1/gpu-0 is Unhealthy since "),
                          HasSubstr("2 pods held it, of whose containers 2 runs ended with another "
                                    "code than 0, 1 while it was Unhealthy."),
                          HasSubstr("jobs/train-0 container train")));
  EXPECT_EQ(text, Report(ExplainTopic::kDevice, "gpu-0")) << "short where that is enough";
}

TEST_F(ExplainReportTest, AnUnknownPodOrDeviceHasItsCodeAndSaysWhereToLook) {
  Report(ExplainTopic::kPod, "jobs/other");
  EXPECT_EQ(exit_code_, kExitNotFound);
  EXPECT_EQ(err_,
            "dra-health-agent explain: the store knows no pod jobs/other that held devices; "
            "`cache pods` lists those it knows\n");
  Pod({.uid = "uid-7"});
  EXPECT_EQ(exit_code_, kExitNotFound);
  EXPECT_THAT(err_, HasSubstr("with the UID uid-7"));
  Report(ExplainTopic::kDevice, "gpu-7");
  EXPECT_EQ(exit_code_, kExitNotFound);
  EXPECT_THAT(err_, HasSubstr("no device gpu-7; `cache devices`"));
}

TEST_F(ExplainReportTest, ANameThatFitsSeveralDevicesListsThemWithTheirPools) {
  const std::string name = "nic.example.com/rack/7/port";
  EXPECT_THAT(Report(ExplainTopic::kDevice, name), IsEmpty());
  EXPECT_EQ(exit_code_, kExitUsage);
  EXPECT_EQ(err_, "dra-health-agent explain: " + name +
                      " fits 2 devices; name one as "
                      "DRIVER/POOL/DEVICE, and its pool by --pool:\n  " +
                      name + " --pool rack\n  " + name + " --pool rack/7\n");
  Report(ExplainTopic::kDevice, name, {.pool = "rack/7"});
  EXPECT_EQ(exit_code_, kExitOk);
}

TEST_F(ExplainReportTest, AStoreThatCannotBeReadHasItsCode) {
  path_ = folder_ / "missing.db";
  for (const ExplainTopic topic : {ExplainTopic::kPod, ExplainTopic::kDevice}) {
    Report(topic, "jobs/train-0");
    EXPECT_EQ(exit_code_, kExitStoreUnreadable);
    EXPECT_THAT(err_, HasSubstr("there is no store"));
  }
}

}  // namespace
}  // namespace dra_health

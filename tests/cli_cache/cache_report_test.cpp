#include "cli/cache_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cache/store.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Writes World() {
  PodRecord running = SomePod("uid-1", "train-0");
  running.condition = Health::kUnhealthy;
  running.last_published = At(31);
  PodRecord deleted = SomePod("uid-2", "train-1");
  deleted.condition.reset();
  deleted.deleted = At(50);
  DeviceRecord failed = Device(Gpu("gpu-0"), Health::kUnhealthy, 30);
  failed.health.message = "Xid 79\xFF";
  AllocationRecord held = SomeAllocation("uid-1", Gpu("gpu-0"), 10);
  held.last = {{Health::kUnhealthy, UnknownReason::kNone, "hot", At(30)}, true, true};
  DeviceRecord silent = Device(Gpu("gpu-1"), Health::kUnknown, 70);
  silent.health.message.clear();
  return {Alive(100),
          SomeDriver("gpu.example.com", DriverState::kStreaming),
          failed,
          silent,
          running,
          deleted,
          held,
          FieldDifferences{"uid-1",
                           {{{.container = "train",
                              .entry = "claim:gpus",
                              .resource_id = "gpu.example.com/node-1/gpu-0",
                              .ours = Health::kUnhealthy,
                              .theirs = std::nullopt,
                              .our_message = "Xid 79",
                              .reason = "the kubelet names no such device"},
                             At(32)}}},
          RunOf("uid-1", 0, 10, 60, 137),
          RunOf("uid-1", 1, 61),
          AbsenceRecord{At(-60), At(-30)},
          Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 30),
          Change(Gpu("gpu-1"), Health::kHealthy, Health::kUnknown, 70)};
}

class CacheReportTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(World()))); }

  std::string Report(CacheTopic topic, CacheFormat format = CacheFormat::kTable,
                     const StoreFilter& filter = {}) {
    CacheRequest request;
    request.topic = topic;
    request.store = path_;
    request.format = format;
    request.filter = filter;
    return Report(request);
  }

  std::string Report(const CacheRequest& request) {
    std::ostringstream out;
    std::ostringstream err;
    exit_code_ = ReportCache(request, {out, err, terminal_, At(100)});
    err_ = err.str();
    return out.str();
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "health.db";
  Terminal terminal_;
  ExitCode exit_code_ = kExitFailure;
  std::string err_;
};

TEST_F(CacheReportTest, DevicesTable) {
  EXPECT_EQ(
      Report(CacheTopic::kDevices),
      "DRIVER           POOL    DEVICE  HEALTH     SINCE                 POD           MESSAGE\n"
      "gpu.example.com  node-1  gpu-0   Unhealthy  2027-01-15T08:00:30Z  jobs/train-0  Xid "
      "79\uFFFD\n"
      "gpu.example.com  node-1  gpu-1   Unknown    2027-01-15T08:01:10Z  -             "
      "LeaseExpired\n");
  EXPECT_EQ(exit_code_, kExitOk);
  EXPECT_THAT(err_, IsEmpty());
}

TEST_F(CacheReportTest, APodThatHasEndedIsMarkedAtItsDevice) {
  PodRecord ended = SomePod("uid-1", "train-0");
  ended.ended = At(60);
  ASSERT_TRUE(Succeeded(OpenStore(path_)->Apply(Writes{ended})));
  EXPECT_THAT(Report(CacheTopic::kDevices), HasSubstr("  jobs/train-0 (ended)  "));
}

TEST_F(CacheReportTest, WideAddsAgesAndTheRest) {
  EXPECT_THAT(Report(CacheTopic::kDevices, CacheFormat::kWide), HasSubstr("  70s  30s    jobs/"));
  EXPECT_THAT(Report(CacheTopic::kDrivers, CacheFormat::kWide), HasSubstr("dra.sock"));
  EXPECT_THAT(Report(CacheTopic::kPods, CacheFormat::kWide), HasSubstr("uid-1"));
  EXPECT_THAT(Report(CacheTopic::kTransitions, CacheFormat::kWide),
              AllOf(HasSubstr("08:00:30.000Z"), HasSubstr("dra.sock")));
}

TEST_F(CacheReportTest, DriversTable) {
  EXPECT_EQ(
      Report(CacheTopic::kDrivers),
      "DRIVER           STATE      SINCE                 STREAMS  FLAPS  LAST ERROR\n"
      "gpu.example.com  Streaming  2027-01-15T08:00:00Z  3        2      UNAVAILABLE: gone\n");
}

TEST_F(CacheReportTest, PodsTable) {
  EXPECT_EQ(Report(CacheTopic::kPods),
            "NAMESPACE  NAME     STATE    HEALTH     FIELD  DEVICES\n"
            "jobs       train-0  Present  Unhealthy  Own    gpu.example.com/node-1/gpu-0\n"
            "jobs       train-1  Deleted  -          Own    -\n");
}

TEST_F(CacheReportTest, TransitionsTable) {
  EXPECT_EQ(Report(CacheTopic::kTransitions),
            "TIME                  DRIVER           POOL    DEVICE  FROM     TO         MESSAGE\n"
            "2027-01-15T08:00:30Z  gpu.example.com  node-1  gpu-0   Healthy  Unhealthy  "
            "changed at 30\n"
            "2027-01-15T08:01:10Z  gpu.example.com  node-1  gpu-1   Healthy  Unknown    "
            "LeaseExpired: changed at 70\n");
}

TEST_F(CacheReportTest, DiffTable) {
  EXPECT_EQ(Report(CacheTopic::kDiff),
            "NAMESPACE  POD      CONTAINER  DEVICE                        AGENT      KUBELET  "
            "SINCE                 REASON\n"
            "jobs       train-0  train      gpu.example.com/node-1/gpu-0  Unhealthy  -        "
            "2027-01-15T08:00:32Z  the kubelet names no such device\n");
  EXPECT_THAT(Report(CacheTopic::kDiff, CacheFormat::kWide), HasSubstr("Xid 79"));
}

TEST_F(CacheReportTest, DiffJson) {
  const json rows = json::parse(Report(CacheTopic::kDiff, CacheFormat::kJson));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["pod"], "train-0");
  EXPECT_EQ(rows[0]["agent"], "Unhealthy");
  EXPECT_TRUE(rows[0]["kubelet"].is_null());
}

TEST_F(CacheReportTest, InfoText) {
  const std::string text = Report(CacheTopic::kInfo);
  EXPECT_THAT(text, HasSubstr("Store             " + path_.string() + "\n"));
  EXPECT_THAT(text, HasSubstr("Open for writing  no\n"));
  EXPECT_THAT(text, HasSubstr("Agent last alive  2027-01-15T08:01:40Z (0s ago)\n"));
  EXPECT_THAT(text, HasSubstr("Boot ID           boot-1\n"));
  EXPECT_THAT(text, HasSubstr("Transitions       2\n"));
  EXPECT_THAT(text, HasSubstr("  oldest          2027-01-15T08:00:30Z (70s ago)\n"));
}

TEST_F(CacheReportTest, TerminalGetsColourAndItsWidth) {
  terminal_ = {.width = 80, .colour = true};
  const std::string text = Report(CacheTopic::kDevices);
  EXPECT_THAT(text, HasSubstr("\x1b[31mUnhealthy\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[33mUnknown\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("…"));
}

TEST_F(CacheReportTest, FiltersReachTheStore) {
  EXPECT_THAT(Report(CacheTopic::kDevices, CacheFormat::kTable, {.health = Health::kUnknown}),
              Not(HasSubstr("gpu-0")));
}

TEST_F(CacheReportTest, NothingFoundIsSaidOnStandardErrorAndIsNoFailure) {
  EXPECT_THAT(Report(CacheTopic::kPods, CacheFormat::kTable, {.pod = "other"}), IsEmpty());
  EXPECT_EQ(err_, "No pods match the filters.\n");
  EXPECT_EQ(exit_code_, kExitOk);
  EXPECT_EQ(Report(CacheTopic::kPods, CacheFormat::kJson, {.pod = "other"}), "[]\n");
  EXPECT_EQ(err_, "No pods match the filters.\n");
}

TEST_F(CacheReportTest, EmptyStoreIsSaidToBeEmpty) {
  path_ = folder_ / "empty.db";
  OpenStore(path_);
  EXPECT_THAT(Report(CacheTopic::kDevices), IsEmpty());
  EXPECT_EQ(err_, "No devices in the store.\n");
  EXPECT_THAT(Report(CacheTopic::kInfo), HasSubstr("Agent last alive  never\n"));
}

TEST_F(CacheReportTest, LimitKeepsTheNewestAndSaysSo) {
  CacheRequest request;
  request.topic = CacheTopic::kTransitions;
  request.store = path_;
  request.limit = 1;
  EXPECT_THAT(Report(request), Not(HasSubstr("gpu-0")));
  EXPECT_EQ(err_, "Only the newest 1 are shown; --limit 0 shows all.\n");
  request.limit = 2;
  EXPECT_THAT(Report(request), HasSubstr("gpu-0"));
  EXPECT_THAT(err_, IsEmpty()) << "nothing was left out";
}

TEST_F(CacheReportTest, DevicesJson) {
  const json devices = json::parse(Report(CacheTopic::kDevices, CacheFormat::kJson));
  EXPECT_EQ(devices.at(0), json::parse(R"({
    "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0", "health": "Unhealthy",
    "reason": "", "message": "Xid 79\uFFFD", "since": "2027-01-15T08:00:30.000Z",
    "leaseSeconds": 30, "driverUnixTime": 1799999000, "pods": ["jobs/train-0"],
    "endedPods": []})"));
  EXPECT_EQ(devices.at(1).at("reason"), "LeaseExpired");
}

TEST_F(CacheReportTest, PodsJsonHasAllocationsAndNulls) {
  const json pods = json::parse(Report(CacheTopic::kPods, CacheFormat::kJson));
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_EQ(pods[0].at("condition"), "Unhealthy");
  EXPECT_EQ(pods[0].at("lastPublished"), "2027-01-15T08:00:31.000Z");
  EXPECT_EQ(pods[0].at("allocations").at(0).at("device"), "gpu-0");
  EXPECT_TRUE(pods[0].at("allocations").at(0).at("to").is_null());
  EXPECT_EQ(pods[0].at("allocations").at(0).at("last"), json::parse(R"({
    "health": "Unhealthy", "reason": "", "message": "hot", "since": "2027-01-15T08:00:30.000Z",
    "counts": true, "closed": true})"));
  EXPECT_TRUE(pods[1].at("condition").is_null());
  EXPECT_EQ(pods[1].at("allocations"), json::array());
}

TEST_F(CacheReportTest, OtherTopicsAsJson) {
  EXPECT_EQ(json::parse(Report(CacheTopic::kDrivers, CacheFormat::kJson)).at(0).at("streamsEnded"),
            2);
  EXPECT_EQ(json::parse(Report(CacheTopic::kTransitions, CacheFormat::kJson)).at(1).at("to"),
            "Unknown");
  const json info = json::parse(Report(CacheTopic::kInfo, CacheFormat::kJson));
  EXPECT_EQ(info.at("rows").at("transitions"), 2);
  EXPECT_EQ(info.at("alive").at("bootId"), "boot-1");
  EXPECT_TRUE(info.at("writer").is_null());
}

TEST_F(CacheReportTest, ExportIsOneObjectALineWithItsKindFirst) {
  std::istringstream lines(Report(CacheTopic::kExport));
  std::vector<std::string> kinds;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, StartsWith("{\"kind\":\""));
    kinds.push_back(json::parse(line).at("kind"));
  }
  EXPECT_THAT(kinds, testing::ElementsAre("alive", "absence", "driver", "device", "device", "pod",
                                          "pod", "allocation", "container", "container",
                                          "transition", "transition"));
}

TEST_F(CacheReportTest, ExportTellsHowARunEndedAndNothingOfOneThatGoesOn) {
  std::istringstream lines(Report(CacheTopic::kExport));
  std::vector<json> runs;
  for (std::string line; std::getline(lines, line);) {
    if (json::parse(line).at("kind") == "container") runs.push_back(json::parse(line));
  }
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0], json::parse(R"({"kind": "container", "podUid": "uid-1", "container": "train",
    "containerKind": "Container", "restart": 0, "started": "2027-01-15T08:00:10.000Z",
    "ended": "2027-01-15T08:01:00.000Z", "exitCode": 137, "signal": null, "reason": "Error"})"));
  EXPECT_TRUE(runs[1].at("ended").is_null());
  EXPECT_TRUE(runs[1].at("exitCode").is_null()) << "0 would say that it went well";
}

TEST_F(CacheReportTest, MissingStoreHasItsExitCodeAndANameInTheMessage) {
  path_ = folder_ / "missing.db";
  EXPECT_THAT(Report(CacheTopic::kInfo), IsEmpty());
  EXPECT_EQ(exit_code_, kExitStoreUnreadable);
  EXPECT_EQ(err_, "dra-health-agent cache: there is no store " + path_.string() + "\n");
}

}  // namespace
}  // namespace dra_health

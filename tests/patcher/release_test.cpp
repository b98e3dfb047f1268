#include "patcher/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "pod_json.h"
#include "scripted_http.h"

namespace dra_health {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kDevicePlugin = "nvidia.com/gpu";

// A pod with an entry of ours, one of a device plugin, and our condition.
json HeldPod() {
  json pod = SamplePod();
  json device_plugin = Entry("claim:gpu", "GPU-1", "Healthy");
  device_plugin["name"] = kDevicePlugin;
  pod["status"]["containerStatuses"][0]["allocatedResourcesStatus"] = {
      Entry("claim:gpu", "d/p/gpu-0", "Unhealthy"), device_plugin};
  pod["status"]["conditions"].push_back({{"type", kConditionType},
                                         {"status", "False"},
                                         {"reason", "DeviceUnhealthy"},
                                         {"lastTransitionTime", "2026-11-30T12:00:00Z"}});
  return pod;
}

class PodReleaseTest : public testing::Test {
 protected:
  void Script(const std::string& target, HttpAnswer answer) {
    http_.Script({target, std::move(answer), {}, false});
  }
  static HttpAnswer Ok(const json& body) { return HttpResponse{200, {}, body.dump()}; }

  ScriptedHttp http_;
  SystemClock clock_;
  ApiSession session_{http_, {}, clock_};
  PodRelease release_{session_};
};

TEST_F(PodReleaseTest, OnlyPodsWithTheConditionAreFound) {
  json bare = SamplePod();
  bare["metadata"]["name"] = "bare";
  Script("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1",
         Ok({{"kind", "PodList"},
             {"apiVersion", "v1"},
             {"metadata", {{"resourceVersion", "5"}}},
             {"items", {HeldPod(), bare}}}));
  const auto pods = release_.Find("n1");
  ASSERT_TRUE(pods) << pods.error().message;
  ASSERT_EQ(pods->size(), 1u);
  EXPECT_EQ(pods->at(0)->name, Read(HeldPod())->name);
}

TEST_F(PodReleaseTest, APodThatCannotBeReadIsNotPassedOver) {
  json odd = HeldPod();
  odd["status"]["containerStatuses"][0]["name"] = 5;
  Script("/api/v1/pods", Ok({{"kind", "PodList"},
                             {"apiVersion", "v1"},
                             {"metadata", {{"resourceVersion", "5"}}},
                             {"items", {odd}}}));
  EXPECT_FALSE(release_.Find(""));
}

TEST_F(PodReleaseTest, EntriesAndConditionGoAndWhatIsOfOthersStays) {
  Script("/status", Ok(HeldPod()));
  ASSERT_TRUE(release_.Release(Read(HeldPod())));
  const json after = Apply(HeldPod(), http_.Requests().at(0).body);
  const json& entries = after["status"]["containerStatuses"][0]["allocatedResourcesStatus"];
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["name"], kDevicePlugin);
  EXPECT_EQ(after["status"]["conditions"], SamplePod()["status"]["conditions"]);
}

TEST_F(PodReleaseTest, APodThatHasChangedIsReadAndPatchedAgain) {
  Script("/status", StatusAnswer(422, "Invalid"));
  Script("/pods/", Ok(HeldPod()));
  Script("/status", Ok(SamplePod()));
  EXPECT_TRUE(release_.Release(Read(HeldPod())));
  EXPECT_EQ(http_.Requests().size(), 3u);
}

TEST_F(PodReleaseTest, APodThatKeepsChangingIsGivenUp) {
  for (int i = 0; i < 5; ++i) {
    Script("/status", StatusAnswer(409, "Conflict", "somebody else was faster"));
    if (i < 4) Script("/pods/", Ok(HeldPod()));
  }
  const auto done = release_.Release(Read(HeldPod()));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("somebody else was faster"));
}

TEST_F(PodReleaseTest, GoneAndNamesakesAndReleasedByOthersAreDone) {
  Script("/status", StatusAnswer(404, "NotFound"));
  EXPECT_TRUE(release_.Release(Read(HeldPod())));
  Script("/status", StatusAnswer(422, "Invalid"));
  json namesake = HeldPod();
  namesake["metadata"]["uid"] = "another";
  Script("/pods/", Ok(namesake));
  EXPECT_TRUE(release_.Release(Read(HeldPod())));
  Script("/status", StatusAnswer(422, "Invalid"));
  Script("/pods/", Ok(SamplePod()));
  EXPECT_TRUE(release_.Release(Read(HeldPod())));
  EXPECT_EQ(http_.Requests().size(), 5u);
}

TEST_F(PodReleaseTest, AMissingPermissionIsNamed) {
  Script("/status", StatusAnswer(403, "Forbidden", "pods is forbidden"));
  const auto done = release_.Release(Read(HeldPod()));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kItem);
  EXPECT_THAT(done.error().message, HasSubstr("missing permission to patch pods/status"));
}

TEST_F(PodReleaseTest, TheGuardsBindingGoesBeforeItsPolicy) {
  Script("mutatingadmissionpolicybindings", Ok({{"kind", "Status"}, {"status", "Success"}}));
  Script("mutatingadmissionpolicies", Ok({{"kind", "Status"}, {"status", "Success"}}));
  const auto removed = release_.RemoveGuard();
  ASSERT_TRUE(removed);
  EXPECT_TRUE(*removed);
  std::vector<std::string> sent;
  for (const HttpRequest& request : http_.Requests()) {
    sent.push_back(request.method + " " + request.target.substr(request.target.rfind("/v1/") + 4));
  }
  EXPECT_THAT(sent, ElementsAre("DELETE mutatingadmissionpolicybindings/dra-health-agent-guard",
                                "DELETE mutatingadmissionpolicies/dra-health-agent-guard"));
}

TEST_F(PodReleaseTest, NoGuardAndAServerWithoutTheKindAreNoErrors) {
  Script("bindings", StatusAnswer(404, "NotFound"));
  Script("policies", HttpResponse{404, {}, "404 page not found"});
  const auto removed = release_.RemoveGuard();
  ASSERT_TRUE(removed);
  EXPECT_FALSE(*removed);
}

TEST_F(PodReleaseTest, WhoMayNotRemoveTheGuardIsToldSo) {
  Script("bindings", StatusAnswer(403, "Forbidden", "cannot delete"));
  const auto removed = release_.RemoveGuard();
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().message, HasSubstr("cannot delete"));
}

}  // namespace
}  // namespace dra_health

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "world.h"

namespace dra_health {

// One device, and a driver that speaks of it.
class PodStatusTest : public testing::Test {
 protected:
  void SetUp() override {
    world.PutClaim("train-gpu", {{"req", "gpu-0"}});
    plugin = world.Register();
    Healthy();
  }

  void Healthy() { world.Report(plugin, {Says("gpu-0", Health::kHealthy, "", 86400s)}); }
  void Unhealthy(const std::string& message = "Xid 79") {
    world.Report(plugin, {Says("gpu-0", Health::kUnhealthy, message, 86400s)});
  }
  void AnswerWith(event::PatchDone done) {
    world.answer_instead = [done](const PodPatch& patch) {
      event::PatchDone answer = done;
      answer.uid = patch.pod->uid;
      return answer;
    };
  }
  event::PatchDone Outcome(event::PatchOutcome outcome, const std::string& why = "because") {
    event::PatchDone done;
    done.outcome = outcome;
    done.why = why;
    return done;
  }

  // Pods that hold the device, each by a claim of its own.
  void AddPodsWithClaims(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      world.PutClaim("claim-" + n, {{"req", "gpu-0"}});
      world.AddPod({"pod-" + n, "uid-" + n, {{"gpu", "claim-" + n}}});
    }
  }

  World world;
  PluginId plugin = 0;
};

}  // namespace dra_health

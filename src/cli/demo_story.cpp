#include "cli/demo_story.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cache/store_reader.h"
#include "cli/commands.h"
#include "cli/demo_world.h"
#include "cli/json_to_yaml.h"
#include "model/pod.h"

namespace dra_health::demo {
namespace {

using Json = nlohmann::json;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Generous, since a busy machine is no failure.
constexpr seconds kPatience{15};

class Narrator {
 public:
  explicit Narrator(std::ostream& out) : out_(out) {}

  void Say(const std::string& who, const std::string& what) {
    const std::lock_guard lock(mutex_);
    std::array<char, 64> start{};
    std::snprintf(start.data(), start.size(), "%6.2fs  %-7s ", Elapsed(), who.c_str());
    out_ << start.data() << what << std::endl;
  }

 private:
  double Elapsed() const {
    return std::chrono::duration<double>(steady_clock::now() - start_).count();
  }

  std::ostream& out_;
  std::mutex mutex_;
  const steady_clock::time_point start_ = steady_clock::now();
};

struct Expected {
  std::string pod;
  std::string device;
  std::string health;     // in the field
  std::string condition;  // of the pod
  std::string message;    // a part of the field's message
};

bool Says(const Json& pod, const Expected& expected) {
  bool device = false;
  bool condition = false;
  const std::string id = std::string(kDriverName) + "/" + kPool + "/" + expected.device;
  for (const Json& status : pod["status"]["containerStatuses"]) {
    for (const Json& entry : status.value("allocatedResourcesStatus", Json::array())) {
      for (const Json& resource : entry["resources"]) {
        device |= resource["resourceID"] == id && resource["health"] == expected.health &&
                  resource.value("message", "").find(expected.message) != std::string::npos;
      }
    }
  }
  for (const Json& one : pod["status"].value("conditions", Json::array())) {
    condition |= one["type"] == kConditionType && one["status"] == expected.condition;
  }
  return device && condition;
}

class Story {
 public:
  Story(World& world, Narrator& narrator) : world_(world), narrator_(narrator) {}

  void Expect(const Expected& expected) {
    const bool said = world_.api().WaitForPod(
        "default", expected.pod,
        [&](const std::string& json) { return !json.empty() && Says(Json::parse(json), expected); },
        kPatience);
    Check(said, "pod " + expected.pod + " says " + expected.device + " " + expected.health +
                    ", condition " + expected.condition);
  }

  void Check(bool holds, const std::string& what) {
    narrator_.Say("pods", (holds ? "ok      " : "NOT SO  ") + what);
    well_ = well_ && holds;
  }

  bool well() const { return well_; }

 private:
  World& world_;
  Narrator& narrator_;
  bool well_ = true;
};

// Everything that happened to the devices and nothing else, restart or not.
bool RememberedExactly(const std::filesystem::path& store) {
  auto reader = StoreReader::Open(store);
  if (!reader) return false;
  std::vector<std::string> found;
  const auto transitions = reader->Transitions({}, 0);
  if (!transitions) return false;
  for (const Transition& transition : *transitions) {
    found.push_back(transition.key.device + " " + std::string(ToString(transition.from)) + " " +
                    std::string(ToString(transition.to)));
  }
  std::vector<std::string> expected = {
      "gpu-0 Unknown Healthy",   "gpu-0 Healthy Unknown",   "gpu-0 Unknown Healthy",
      "gpu-1 Unknown Healthy",   "gpu-1 Healthy Unhealthy", "gpu-1 Unhealthy Healthy",
      "gpu-1 Healthy Unknown",   "gpu-1 Unknown Healthy",   "gpu-2 Unknown Healthy",
      "gpu-2 Healthy Unhealthy", "gpu-2 Unhealthy Unknown", "gpu-2 Unknown Unhealthy",
  };
  return std::ranges::is_permutation(found, expected);
}

void Play(World& world, Narrator& narrator, Story& story) {
  story.Expect({"train", "gpu-0", "Healthy", "True", ""});
  story.Expect({"train", "gpu-1", "Healthy", "True", ""});
  story.Expect({"serve", "gpu-2", "Healthy", "True", ""});
  // fails
  story.Expect({"train", "gpu-1", "Unhealthy", "False", "Xid 79"});
  // recovers
  story.Expect({"train", "gpu-1", "Healthy", "True", ""});
  // another fails, and the agent restarts
  story.Expect({"serve", "gpu-2", "Unhealthy", "False", "Xid 48"});
  const std::size_t patches = world.api().Count("patch");
  const std::size_t watches = world.api().Count("watch");
  narrator.Say("agent", "is stopped and started again");
  story.Check(world.RestartAgent(), "the agent stopped in order");
  world.api().WaitForCount("watch", "pods", watches + 1, kPatience);
  // silent, expires
  story.Expect({"serve", "gpu-2", "Unknown", "Unknown", "probably the driver failed"});
  story.Expect({"train", "gpu-0", "Unknown", "Unknown", "probably the driver failed"});
  story.Check(world.api().Count("patch") == patches + 2,
              "from the restart to the expiry nothing was sent to the API server");
  // back
  story.Expect({"train", "gpu-0", "Healthy", "True", ""});
  story.Expect({"serve", "gpu-2", "Unhealthy", "False", "Xid 48"});
}

}  // namespace

bool TellStory(const std::filesystem::path& folder, std::ostream& out) {
  Narrator narrator(out);
  auto world =
      World::Create(folder, [&](const std::string& step) { narrator.Say("driver", step); });
  if (!world) {
    narrator.Say("demo", world.error().message);
    return false;
  }
  narrator.Say("demo", "a simulated driver with 3 devices, 2 pods, an API server and the agent");
  Story story(**world, narrator);
  if (auto started = (*world)->Start(); !started) {
    narrator.Say("demo", started.error().message);
    return false;
  }
  Play(**world, narrator, story);
  story.Check((*world)->StopAgent(), "the agent stopped in order");

  out << "\n$ kubectl get pod serve -o yaml\n"
      << JsonToYaml((*world)->api().GetPod("default", "serve"));
  const std::string store = (*world)->store();
  out << "\n$ dra-health-agent cache transitions\n" << std::flush;
  std::array<const char*, 5> command = {"dra-health-agent", "cache", "transitions", "--store",
                                        store.c_str()};
  story.Check(Main(command.size(), const_cast<char**>(command.data())) == 0,
              "the history could be read");
  story.Check(RememberedExactly((*world)->store()),
              "the store remembers each of the 12 transitions and no other");
  narrator.Say("demo", story.well() ? "every status was as told" : "something was not as told");
  return story.well();
}

}  // namespace dra_health::demo

// Writes the pages that the tests look at: explain_page_sample FOLDER.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "cache/store.h"
#include "cli/explain_report.h"
#include "tests/cli_explain/stored.h"

namespace dra_health {
namespace {

// All that could break out of its place, and a name that no line can hold.
Writes Hostile() {
  const std::string markup = "\"><script>document.title='broken'</script>&amp;'\x01\xFF\uFFFE";
  const DeviceKey key{
      .driver = "gpu.example.com", .pool = "node-1", .device = std::string(100, 'x') + markup};
  PodRecord pod = SomePod("uid-1" + markup, "hostile");
  pod.first_seen = At(90);
  AllocationRecord held = SomeAllocation(pod.uid, key, 96);
  held.request = markup;
  ContainerRecord run = RunOf(pod.uid, 0, 100, 200, 137);
  run.run.reason = markup;
  Transition broken = Change(key, Health::kHealthy, Health::kUnhealthy, 188);
  broken.message = markup + std::string(300, 'y');
  return {Alive(1000), pod, held, run, broken};
}

// A device that flaps for days under many pods, an agent that was away meanwhile.
Writes Crowded() {
  Writes writes = {Alive(500'000), AbsenceRecord{At(200'000), At(260'000)},
                   SomeDriver("gpu.example.com", DriverState::kStreaming)};
  for (int i = 0; i < 30; ++i) {
    const std::string uid = "uid-" + std::to_string(i);
    PodRecord pod = SomePod(uid, "job-" + std::to_string(i));
    pod.first_seen = At(i * 15'000);
    pod.deleted = At(i * 15'000 + 12'000);
    AllocationRecord held = SomeAllocation(uid, Gpu("gpu-0"), i * 15'000);
    held.to = pod.deleted;
    writes.insert(writes.end(),
                  {pod, held, RunOf(uid, 0, i * 15'000 + 10, i * 15'000 + 11'000, i % 3)});
  }
  for (int i = 0; i < 3000; ++i) {
    const bool bad = i % 2 == 1;
    writes.emplace_back(Change(Gpu("gpu-0"), bad ? Health::kHealthy : Health::kUnhealthy,
                               bad ? Health::kUnhealthy : Health::kHealthy, i * 150));
  }
  return writes;
}

int Write(const std::filesystem::path& folder, const std::string& name, const Writes& writes,
          ExplainTopic topic, const std::string& what, int now) {
  const auto store = folder / (name + ".db");
  auto opened = Store::Open(store);
  if (!opened || !opened->store->Apply(writes)) return 1;
  opened->store.reset();
  const auto request = ParseExplainRequest(
      topic, {.store = store.string(), .name = what, .format = std::string("html")});
  std::ofstream page(folder / (name + ".html"));
  return ReportExplanation(request.value(), {page, std::cerr, {}, At(now)});
}

}  // namespace
}  // namespace dra_health

int main(int argc, char** argv) {
  using dra_health::ExplainTopic;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const std::string device = "gpu.example.com/node-1/gpu-0";
  return dra_health::Write(folder, "pod", dra_health::FailedPod(), ExplainTopic::kPod,
                           "jobs/train-0", 1000) +
         dra_health::Write(folder, "device", dra_health::FailedPod(), ExplainTopic::kDevice, device,
                           1000) +
         dra_health::Write(folder, "hostile", dra_health::Hostile(), ExplainTopic::kPod,
                           "jobs/hostile", 1000) +
         dra_health::Write(folder, "crowded", dra_health::Crowded(), ExplainTopic::kDevice, device,
                           500'000);
}

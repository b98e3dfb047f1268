// How long `explain` takes on a store with 1,000,000 transitions over 1000 devices:
// explain_benchmark [FOLDER]. The store is made in FOLDER and stays there for the next time;
// without it, it is made anew and taken away. Prints the least, middle and most of 21 runs each,
// from opening the store to the last byte of output.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "cache/store.h"
#include "cli/explain_report.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

constexpr int kDevices = 1000;
constexpr int kChanges = 1000;        // of each device
constexpr int kChangeInterval = 600;  // seconds: a week in all
constexpr int kPods = 4000;
constexpr int kDevicesOfPod = 8;
constexpr int kRuns = 21;
constexpr int kNow = kChanges * kChangeInterval;

DeviceKey KeyOf(int device) { return Gpu("gpu-" + std::to_string(device)); }

// Each holds its devices for a twentieth of the time; the last one of a device runs.
void AddPod(int number, Writes& writes) {
  const std::string uid = "uid-" + std::to_string(number);
  const int length = kNow / 20;
  const int first = number * kDevicesOfPod % kDevices;
  const int from = number / (kDevices / kDevicesOfPod) * length / 2 % (kNow - length);
  PodRecord pod = SomePod(uid, "job-" + std::to_string(number));
  pod.first_seen = At(from);
  const bool over = number + kDevices / kDevicesOfPod < kPods;
  if (over) pod.deleted = At(from + length);
  writes.emplace_back(pod);
  writes.emplace_back(over ? RunOf(uid, 0, from, from + length - 1, 137) : RunOf(uid, 0, from));
  for (int i = 0; i < kDevicesOfPod; ++i) {
    AllocationRecord held = SomeAllocation(uid, KeyOf((first + i) % kDevices), from);
    held.to = pod.deleted;
    writes.emplace_back(held);
  }
}

bool Fill(const std::filesystem::path& path) {
  auto opened = Store::Open(path);
  if (!opened) return false;
  Writes writes = {Alive(kNow), SomeDriver("gpu.example.com", DriverState::kStreaming)};
  for (int device = 0; device < kDevices; ++device) {
    writes.emplace_back(Device(KeyOf(device), Health::kHealthy, kNow - kChangeInterval));
  }
  for (int pod = 0; pod < kPods; ++pod) AddPod(pod, writes);
  if (!opened->store->Apply(writes)) return false;
  for (int change = 0; change < kChanges; ++change) {
    writes.clear();
    const bool bad = change % 2 == 0;
    for (int device = 0; device < kDevices; ++device) {
      writes.emplace_back(Change(KeyOf(device), bad ? Health::kHealthy : Health::kUnhealthy,
                                 bad ? Health::kUnhealthy : Health::kHealthy,
                                 change * kChangeInterval + device % kChangeInterval));
    }
    if (!opened->store->Apply(writes)) return false;
  }
  return true;
}

struct Figures {
  std::vector<double> values;  // milliseconds

  double least() { return At(0); }
  double middle() { return At(values.size() / 2); }
  double most() { return At(values.size() - 1); }
  double At(std::size_t rank) {
    std::ranges::sort(values);
    return values[rank];
  }
};

bool Measure(const std::filesystem::path& store, ExplainTopic topic, const std::string& name,
             const std::string& format) {
  Figures wall;
  Figures cpu;
  std::size_t bytes = 0;
  for (int i = 0; i < kRuns; ++i) {
    std::ostringstream out;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const auto request =
        ParseExplainRequest(topic, {.store = store.string(), .name = name, .format = format});
    if (ReportExplanation(*request, {out, std::cerr, {}, At(kNow)}) != kExitOk) return false;
    const std::clock_t cpu_end = std::clock();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    wall.values.push_back(took.count());
    cpu.values.push_back(1000.0 * static_cast<double>(cpu_end - cpu_start) / CLOCKS_PER_SEC);
    bytes = out.str().size();
  }
  std::printf("%-6s %-28s %-4s %6.1f %6.1f %6.1f ms, processor %6.1f ms, %4zu KiB of output\n",
              topic == ExplainTopic::kPod ? "pod" : "device", name.c_str(), format.c_str(),
              wall.least(), wall.middle(), wall.most(), cpu.middle(), bytes / 1024);
  return true;
}

int Run(const std::filesystem::path& folder) {
  const auto store = folder / "benchmark.db";
  if (!std::filesystem::exists(store) && !Fill(store)) return 1;
  std::printf("%d transitions, %d devices, %d pods, %ju MiB; least, middle, most of %d runs\n",
              kDevices * kChanges, kDevices, kPods, std::filesystem::file_size(store) >> 20, kRuns);
  const std::string running = "jobs/job-" + std::to_string(kPods - 1);
  for (const char* format : {"text", "json", "html"}) {
    for (const std::string& pod :
         {std::string("jobs/job-0"), std::string("jobs/job-2000"), running}) {
      if (!Measure(store, ExplainTopic::kPod, pod, format)) return 1;
    }
    if (!Measure(store, ExplainTopic::kDevice, "gpu.example.com/node-1/gpu-500", format)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace dra_health

int main(int argc, char** argv) {
  if (argc > 1) return dra_health::Run(argv[1]);
  const dra_health::TempFolder folder;
  return dra_health::Run(folder / "");
}

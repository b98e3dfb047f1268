#include "observe/metrics.h"

#include <array>
#include <iterator>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "build_info/commit.h"
#include "observe/driver_labels.h"
#include "observe/gauges.h"

namespace dra_health {
namespace {

using prometheus::Counter;
using prometheus::Histogram;
using prometheus::Registry;
template <typename T>
using Family = prometheus::Family<T>;

// From a patch on an idle machine to one that waited for the API server.
const Histogram::BucketBoundaries kLatencyBuckets = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                                     2.5,  5,     10,   30,  60,   300};
// From a commit without fsync to a disk in trouble.
const Histogram::BucketBoundaries kWriteBuckets = {0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01,
                                                   0.05,    0.1,    0.5,    1,     5};

constexpr std::array kOutcomes = {
    std::pair{event::PatchOutcome::kApplied, "applied"},
    std::pair{event::PatchOutcome::kGone, "gone"},
    std::pair{event::PatchOutcome::kStale, "stale"},
    std::pair{event::PatchOutcome::kInvalid, "invalid"},
    std::pair{event::PatchOutcome::kDenied, "denied"},
    std::pair{event::PatchOutcome::kForbidden, "forbidden"},
    std::pair{event::PatchOutcome::kRetry, "retry"},
};

Family<Counter>& CounterFamily(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Histogram& OneHistogram(Registry& registry, const char* name, const char* help,
                        const Histogram::BucketBoundaries& buckets) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

struct Metrics::Impl {
  Registry registry;
  DriverLabels labels;
  Family<Counter>& transitions =
      CounterFamily(registry, "dra_health_agent_device_transitions_total",
                    "Changes of a device's health, by what it became and why it is Unknown.");
  Family<Counter>& patches =
      CounterFamily(registry, "dra_health_agent_patches_total", "Answered patches by outcome.");
  Counter& reports = CounterFamily(registry, "dra_health_agent_reports_total",
                                   "Health reports received from drivers.")
                         .Add({});
  Histogram& latency = OneHistogram(
      registry, "dra_health_agent_publish_latency_seconds",
      "Time from a driver's report of a change, or a lease's end, to the pod saying it.",
      kLatencyBuckets);
  Histogram& write_time = OneHistogram(registry, "dra_health_agent_store_write_duration_seconds",
                                       "Time that one commit to the store took.", kWriteBuckets);

  mutable std::mutex mutex;
  std::vector<prometheus::MetricFamily> gauges;  // guarded by mutex
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {
  for (const auto& [outcome, name] : kOutcomes) impl_->patches.Add({{"outcome", name}});
  prometheus::BuildGauge()
      .Name("dra_health_agent_build_info")
      .Help("1, for what was built.")
      .Register(impl_->registry)
      .Add({{"version", build_info::kVersion}, {"commit", build_info::kCommit}})
      .Set(1);
}

Metrics::~Metrics() = default;

void Metrics::Saw(const Event& event) {
  if (std::holds_alternative<event::ReportReceived>(event)) impl_->reports.Increment();
  const auto* done = std::get_if<event::PatchDone>(&event);
  if (done == nullptr) return;
  for (const auto& [outcome, name] : kOutcomes) {
    if (outcome == done->outcome) impl_->patches.Add({{"outcome", name}}).Increment();
  }
}

void Metrics::Saw(const Effects& effects) {
  for (const StoreWrite& write : effects.writes) {
    const auto* transition = std::get_if<Transition>(&write);
    if (transition == nullptr) continue;
    impl_->transitions
        .Add({{"driver", impl_->labels.Of(transition->key.driver)},
              {"health", std::string(ToString(transition->to))},
              {"reason", std::string(ToString(transition->reason))}})
        .Increment();
  }
  for (const Effect& effect : effects.effects) {
    const auto* published = std::get_if<effect::Published>(&effect);
    if (published != nullptr) impl_->latency.Observe(Seconds(published->latency));
  }
}

void Metrics::StoreWritten(std::chrono::nanoseconds took) {
  impl_->write_time.Observe(Seconds(took));
}

void Metrics::Set(const Observation& observation) {
  auto gauges = Gauges(observation, impl_->labels);
  const std::lock_guard lock(impl_->mutex);
  impl_->gauges = std::move(gauges);
}

std::string Metrics::Text() const {
  auto families = impl_->registry.Collect();
  {
    const std::lock_guard lock(impl_->mutex);
    families.insert(families.end(), impl_->gauges.begin(), impl_->gauges.end());
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace dra_health

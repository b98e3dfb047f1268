#include "observe/gauges.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace dra_health {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

constexpr std::array kDriverStates = {DriverState::kConnecting, DriverState::kNoData,
                                      DriverState::kStreaming,  DriverState::kUnsupported,
                                      DriverState::kOff,        DriverState::kGone};
constexpr std::array kHealths = {Health::kHealthy, Health::kUnhealthy, Health::kUnknown};

class Family {
 public:
  Family(MetricType type, std::string name, std::string help) {
    family_.name = "dra_health_agent_" + std::move(name);
    family_.help = std::move(help);
    family_.type = type;
  }

  void Add(Labels labels, double value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = value;
    metric.counter.value = value;
    family_.metric.push_back(std::move(metric));
  }

  MetricFamily Take() && { return std::move(family_); }

 private:
  MetricFamily family_;
};

MetricFamily Single(MetricType type, std::string name, std::string help, double value) {
  Family family(type, std::move(name), std::move(help));
  family.Add({}, value);
  return std::move(family).Take();
}

double Number(auto count) { return static_cast<double>(count); }

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// Who has the last word about the field of a pod.
std::string_view OwnershipLabel(FieldState state) {
  switch (state) {
    case FieldState::kOwn:
      return "own";
    case FieldState::kDeferred:
      return "deferred";
    case FieldState::kContested:
      return "contested";
    case FieldState::kDropped:
      return "dropped";
    case FieldState::kNone:
      return "none";
    case FieldState::kPending:
      break;
  }
  return "pending";
}

// One driver, or all that have no label of their own.
struct DriverNumbers {
  std::map<DriverState, std::size_t> by_state;
  std::int64_t streams_opened = 0;
  std::int64_t streams_ended = 0;
  DeviceSummary devices;

  void Add(const DriverSummary& driver) {
    if (driver.state) ++by_state[*driver.state];
    streams_opened += driver.streams_opened;
    streams_ended += driver.streams_ended;
    for (const auto& [health, count] : driver.devices.by_health) {
      devices.by_health[health] += count;
    }
    devices.stale += driver.devices.stale;
    const auto& margin = driver.devices.lease_margin;
    if (margin) devices.lease_margin = std::min(devices.lease_margin.value_or(*margin), *margin);
  }
};

void AddDrivers(const Summary& summary, DriverLabels& labels, std::vector<MetricFamily>& all) {
  std::map<std::string, DriverNumbers> drivers;
  for (const auto& [name, driver] : summary.drivers) drivers[labels.Of(name)].Add(driver);

  Family states(MetricType::Gauge, "driver_state",
                "1 for the state in which the driver and its health stream are.");
  Family opened(MetricType::Counter, "driver_streams_opened_total",
                "Health streams opened to the driver, kept over restarts of the agent.");
  Family ended(MetricType::Counter, "driver_streams_ended_total",
               "Health streams that the driver ended, kept over restarts of the agent.");
  Family devices(MetricType::Gauge, "devices", "Known devices by their health.");
  Family stale(MetricType::Gauge, "stale_devices",
               "Devices without a current report, of drivers that are registered or held by pods.");
  Family margin(MetricType::Gauge, "driver_lease_margin_seconds",
                "Time until the first of the driver's current reports expires.");
  for (const auto& [name, driver] : drivers) {
    const ClientMetric::Label label{"driver", name};
    for (const DriverState state : kDriverStates) {
      const auto found = driver.by_state.find(state);
      states.Add({label, {"state", std::string(ToString(state))}},
                 found == driver.by_state.end() ? 0 : Number(found->second));
    }
    opened.Add({label}, Number(driver.streams_opened));
    ended.Add({label}, Number(driver.streams_ended));
    for (const Health health : kHealths) {
      const auto found = driver.devices.by_health.find(health);
      devices.Add({label, {"health", std::string(ToString(health))}},
                  found == driver.devices.by_health.end() ? 0 : Number(found->second));
    }
    stale.Add({label}, Number(driver.devices.stale));
    if (driver.devices.lease_margin) margin.Add({label}, Seconds(*driver.devices.lease_margin));
  }
  for (Family* family : {&states, &opened, &ended, &devices, &stale, &margin}) {
    all.push_back(std::move(*family).Take());
  }
}

void AddPods(const PodSummary& pods, std::vector<MetricFamily>& all) {
  Family family(MetricType::Gauge, "pods",
                "Pods that hold devices, by who has the last word on allocatedResourcesStatus.");
  for (const auto& [state, count] : pods.by_field) {
    family.Add({{"ownership", std::string(OwnershipLabel(state))}}, Number(count));
  }
  all.push_back(std::move(family).Take());
  all.push_back(Single(MetricType::Gauge, "queued_pods",
                       "Pods that wait for their turn to be published.", Number(pods.queued)));
  all.push_back(Single(MetricType::Gauge, "patches_in_flight", "Patches that await their answer.",
                       Number(pods.patches_in_flight)));
  all.push_back(Single(MetricType::Gauge, "field_differences",
                       "Devices of which the kubelet's entry in a pod says something else.",
                       Number(pods.differences)));
  all.push_back(Single(MetricType::Counter, "field_reverts_total",
                       "Times that another writer took away what had been published.",
                       Number(pods.reverts)));
}

void AddStore(const StoreStatus& store, std::vector<MetricFamily>& all) {
  all.push_back(Single(MetricType::Gauge, "store_writable",
                       "1 when everything is in the store, 0 when it cannot be written.",
                       store.writable ? 1 : 0));
  all.push_back(Single(MetricType::Gauge, "store_size_bytes",
                       "Size of the store and its write-ahead log.", Number(store.bytes)));
  all.push_back(Single(MetricType::Gauge, "store_unwritten_records",
                       "Records kept in memory until the store can be written.",
                       Number(store.kept)));
  all.push_back(Single(MetricType::Counter, "store_failures_total",
                       "Failed attempts to write the store.", Number(store.failures)));
  all.push_back(Single(MetricType::Counter, "store_lost_records_total",
                       "Records lost because the store failed for too long.",
                       Number(store.lost_records)));
  all.push_back(Single(MetricType::Counter, "store_lost_files_total",
                       "Stores found broken, deleted or replaced.", Number(store.lost_files)));
}

}  // namespace

std::vector<MetricFamily> Gauges(const Observation& observation, DriverLabels& labels) {
  std::vector<MetricFamily> all;
  AddDrivers(observation.summary, labels, all);
  AddPods(observation.summary.pods, all);
  AddStore(observation.store, all);
  return all;
}

}  // namespace dra_health

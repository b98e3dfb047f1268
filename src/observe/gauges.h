#pragma once

#include <vector>

#include <prometheus/metric_family.h>

#include "observe/driver_labels.h"
#include "observe/observation.h"

namespace dra_health {

// What is the case, as metrics: nothing of it outlives the thing that it tells of.
std::vector<prometheus::MetricFamily> Gauges(const Observation& observation, DriverLabels& labels);

}  // namespace dra_health

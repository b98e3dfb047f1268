#pragma once

#include <cstddef>
#include <vector>

#include "model/device.h"

namespace v1 {
class NodeWatchResourcesResponse;
}

namespace dra_health {

struct ConvertedReport {
  std::vector<DeviceReport> devices;  // every device once, in the order sent
  std::size_t dropped = 0;            // without a usable name, or beyond the limit
};

// Makes a driver's report fit for the rest of the program: printable text, known values, bounded
// sizes. Pure.
ConvertedReport ConvertReport(const v1::NodeWatchResourcesResponse& report,
                              std::size_t max_devices);

}  // namespace dra_health

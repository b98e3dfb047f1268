#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/container_run.h"
#include "model/device.h"
#include "model/record.h"

namespace dra_health {

// How long, in at most two units and never rounded up: "less than 1 s", "12 s", "3 min 20 s",
// "2 h 5 min", "3 d 4 h".
std::string Duration(std::chrono::milliseconds length);

// "1 device", "3 devices".
std::string Counted(std::size_t count, std::string_view noun);

// "a", "a and b", "a, b and c"; of more than four, three and how many more there are.
std::string Listed(const std::vector<std::string>& items);

// "code 137 (OOMKilled)", "code 137 (Error, signal 9)".
std::string CodeOf(const ContainerRun& run);

// Why nothing was reported, to stand after a colon.
std::string Why(UnknownReason reason);

// Why the driver's devices have no health, "" where it offers it; `driver` is null for one that the
// store does not know.
std::string WhyNotOffered(const std::string& name, const DriverRecord* driver);

// ": what the driver said", or "".
std::string Saying(const std::string& message);

}  // namespace dra_health

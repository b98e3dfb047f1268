#pragma once

#include <string>
#include <vector>

#include "cache/store_reader.h"
#include "cli/table.h"

namespace dra_health {

// The store's records for people: times in UTC, ages and everything there is when `wide`.
Table ToTable(const std::vector<DeviceView>& devices, bool wide, WallTime now);
Table ToTable(const std::vector<DriverRecord>& drivers, bool wide, WallTime now);
Table ToTable(const std::vector<PodView>& pods, bool wide, WallTime now);
Table ToTable(const std::vector<Transition>& transitions, bool wide, WallTime now);
Table ToTable(const std::vector<DifferenceView>& differences, bool wide, WallTime now);

// "key   value" lines.
std::string ToText(const StoreInfo& info, WallTime now);

}  // namespace dra_health

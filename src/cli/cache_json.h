#pragma once

#include <string>
#include <vector>

#include "cache/store_reader.h"

namespace dra_health {

// The store's records as JSON text: camelCase keys in a fixed order, times in RFC 3339 with
// milliseconds, null for what there is none of. Bytes that are not UTF-8 become U+FFFD.

// Indented, ending in a newline.
std::string ToJson(const std::vector<DeviceView>& devices);
std::string ToJson(const std::vector<DriverRecord>& drivers);
std::string ToJson(const std::vector<PodView>& pods);
std::string ToJson(const std::vector<Transition>& transitions);
std::string ToJson(const std::vector<DifferenceView>& differences);
std::string ToJson(const StoreInfo& info);

// One line with the record's "kind" first, without a newline.
std::string ToJsonLine(const StoredRecord& record);

}  // namespace dra_health

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/history.h"
#include "cache/sql.h"

// The queries behind StoreReader's histories. Each answers within one transaction of the caller.
namespace dra_health::query {

// none: there is no such pod.
sql::Outcome<std::optional<PodHistory>> ReadPodHistory(sql::Database& database,
                                                       const PodName& name);
sql::Outcome<std::vector<DeviceKey>> ReadDevicesNamed(sql::Database& database,
                                                      const std::string& name);
sql::Outcome<DeviceHistory> ReadDeviceHistory(sql::Database& database, const DeviceKey& key);

}  // namespace dra_health::query

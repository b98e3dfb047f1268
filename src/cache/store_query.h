#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cache/sql.h"
#include "cache/store_reader.h"

namespace dra_health {

// A query being put together: text with its arguments in order.
class Query {
 public:
  explicit Query(std::string text) : text_(std::move(text)) {}

  // Conditions are joined by AND.
  Query& Where(std::string_view condition, std::initializer_list<sql::Value> values = {});
  Query& WhereIn(std::string_view column, const Query& select);
  Query& Then(std::string_view text, std::initializer_list<sql::Value> values = {});

  sql::Outcome<void> Run(sql::Database& database,
                         const std::function<void(sql::Row&)>& visit) const;

 private:
  std::string text_;
  std::vector<sql::Value> values_;
  bool has_condition_ = false;
};

// The queries behind StoreReader, by what a filter means for each kind of row.
namespace query {

// One name of a device, as StoreFilter::device has it, on device_names n.
inline constexpr const char* kDeviceMatches =
    "? IN (n.device, n.pool || '/' || n.device, n.driver || '/' || n.pool || '/' || n.device)";

inline std::int64_t Millis(WallTime time) { return time.time_since_epoch().count(); }

Query Devices(const StoreFilter& filter);
Query Drivers(const StoreFilter& filter);
Query Pods(const StoreFilter& filter);
// All allocations of the pods that Pods(filter) finds, by pod.
Query AllocationsOfPods(const StoreFilter& filter);
// Columns: driver, pool, device, pod namespace, pod name.
Query HoldersOfDevices();
Query Differences(const StoreFilter& filter);
// Newest first; `limit` 0 is none.
Query Transitions(const StoreFilter& filter, std::size_t limit);

}  // namespace query

}  // namespace dra_health

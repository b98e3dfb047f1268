#pragma once

#include <cstdint>

#include "cache/sql.h"
#include "model/record.h"

namespace dra_health {

// The prepared statements that write records, one call operator a kind of StoreWrite. Lives as long
// as the database it was prepared on, or shorter; used inside a transaction of the caller.
class RecordWriter {
 public:
  // Fails where the file's tables are not as the schema says.
  static sql::Outcome<RecordWriter> Prepare(sql::Database& database);

  sql::Outcome<void> operator()(const DeviceRecord& record);
  sql::Outcome<void> operator()(const Transition& record);
  sql::Outcome<void> operator()(const DriverRecord& record);
  sql::Outcome<void> operator()(const PodRecord& record);
  sql::Outcome<void> operator()(const AllocationRecord& record);
  sql::Outcome<void> operator()(const AliveRecord& record);
  sql::Outcome<void> operator()(const ForgetDevice& record);
  sql::Outcome<void> operator()(const EndAllocations& record);
  sql::Outcome<void> operator()(const CdiIdRecord& record);
  sql::Outcome<void> operator()(const FieldDifferences& record);
  sql::Outcome<void> operator()(const ContainerRecord& record);
  sql::Outcome<void> operator()(const AbsenceRecord& record);

 private:
  RecordWriter() = default;
  // The number of the device in device_names, where it is entered if it is new.
  sql::Outcome<std::int64_t> IdOf(const DeviceKey& key);

  sql::Statement find_name_;
  sql::Statement add_name_;
  sql::Statement device_;
  sql::Statement transition_;
  sql::Statement driver_;
  sql::Statement pod_;
  sql::Statement allocation_;
  sql::Statement alive_;
  sql::Statement forget_;
  sql::Statement end_;
  sql::Statement cdi_id_;
  sql::Statement drop_differences_;
  sql::Statement difference_;
  sql::Statement container_;
  sql::Statement absence_;
};

}  // namespace dra_health

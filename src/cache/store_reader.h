#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cache/history.h"
#include "model/record.h"

namespace dra_health {

class ReadConnection;

// Rows that have all of it. What it means for each kind of row is said at StoreReader's calls.
struct StoreFilter {
  std::optional<std::string> driver;
  std::optional<std::string> device;  // DEVICE, POOL/DEVICE or DRIVER/POOL/DEVICE
  std::optional<std::string> pod;     // NAME, NAMESPACE/NAME or a UID; also of a deleted pod
  std::optional<Health> health;
  std::optional<WallTime> since;
};

struct DeviceView {
  DeviceRecord record;
  std::vector<std::string> pods;        // NAMESPACE/NAME of those that hold it now
  std::vector<std::string> ended_pods;  // those that held it when they ended, and are still there
};

struct PodView {
  PodRecord record;
  std::vector<AllocationRecord> allocations;  // ended ones too
};

// Where the field of a pod that the kubelet holds says something else than the agent would.
struct DifferenceView {
  FieldDifference difference;
  WallTime since;
  std::string pod_uid;
  std::string namespace_name;
  std::string pod_name;
};

struct StoreInfo {
  std::filesystem::path path;
  std::int64_t schema_version = 0;
  std::uintmax_t file_bytes = 0;
  std::uintmax_t wal_bytes = 0;
  std::optional<std::string> writer;  // the process that has it open to write
  std::optional<AliveRecord> alive;
  std::int64_t devices = 0;
  std::int64_t drivers = 0;
  std::int64_t pods = 0;
  std::int64_t allocations = 0;
  std::int64_t containers = 0;  // runs of containers
  std::int64_t transitions = 0;
  std::optional<WallTime> oldest_transition;
  std::optional<WallTime> newest_transition;
};

using StoredRecord = std::variant<AliveRecord, AbsenceRecord, DriverRecord, DeviceRecord, PodRecord,
                                  AllocationRecord, ContainerRecord, Transition>;

// Reads a store file that another process may be writing, one that no process has open, or a copy,
// also on a read-only file system. Changes nothing and leaves no file behind.
//
// Thread: one, also one of the process that writes the store. Each call sees one consistent state
// of the file; two calls may see two. Errors: kFatal: no such file, not a store, broken, or of
// another schema version. kRetry: could not be read now.
class StoreReader {
 public:
  static Result<StoreReader> Open(const std::filesystem::path& path);
  StoreReader(StoreReader&&) noexcept;
  StoreReader& operator=(StoreReader&&) noexcept;
  ~StoreReader();

  // pod: held by it now or once. health: has it now. since: its health changed then or later.
  Result<std::vector<DeviceView>> Devices(const StoreFilter& filter);

  // device, pod, health: has such a device. since: its state changed then or later.
  Result<std::vector<DriverRecord>> Drivers(const StoreFilter& filter);

  // driver, device: holds or held such a device. health: its condition says so. since: it was first
  // seen, published, ended or deleted then or later.
  Result<std::vector<PodView>> Pods(const StoreFilter& filter);

  // The newest `limit` (0: all), oldest first. pod: while it held the device, and kAftermath after
  // it ended. health: the one changed to. since: happened then or later.
  Result<std::vector<Transition>> Transitions(const StoreFilter& filter, std::size_t limit);

  // driver, device: holds or held such a device. health: one of both says so. since: differs since
  // then or later.
  Result<std::vector<DifferenceView>> Differences(const StoreFilter& filter);

  // none: the store knows no such pod.
  Result<std::optional<PodHistory>> HistoryOfPod(const PodName& name);
  // Those that `name` is DEVICE, POOL/DEVICE or DRIVER/POOL/DEVICE of.
  Result<std::vector<DeviceKey>> DevicesNamed(const std::string& name);
  // Also of a device that the store does not know: there is nothing in it then.
  Result<DeviceHistory> HistoryOfDevice(const DeviceKey& key);

  Result<StoreInfo> Info();

  // Everything, kind by kind, each in a stable order, until `visit` says false. The history is read
  // in pages, so that a slow visitor neither needs memory nor keeps a running agent's WAL growing.
  Result<void> Visit(const std::function<bool(const StoredRecord&)>& visit);

 private:
  explicit StoreReader(std::unique_ptr<ReadConnection> connection);

  std::unique_ptr<ReadConnection> connection_;
};

}  // namespace dra_health

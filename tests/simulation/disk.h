#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "cache/store.h"

namespace dra_health {

// A disk that outlives the agents that write it, and the store on it, in memory: as the real one, a
// batch is written whole or not at all.
class Disk {
 public:
  bool full = false;        // or read-only, or busy: every write fails
  bool closed = false;      // no permission: it cannot be opened
  bool locked = false;      // by another process
  bool unreadable = false;  // damage that the next reading finds

  // Deleted, replaced, truncated, noise or of a newer schema: an open store is over, and the next
  // one is empty.
  void Lose();

  Result<Store::Opened> Open();

  StoredState State() const;
  const DeviceRecord* Find(const DeviceKey& key) const;
  bool HasEnded(const std::string& pod_uid) const;
  // What all allocations of the device to the pod say; none: they do not agree.
  std::optional<LastHealth> LastOf(const std::string& pod_uid, const DeviceKey& key) const;
  // The newest of the file that is there now; nullptr: none.
  const Transition* NewestOf(const DeviceKey& key) const;
  std::size_t transitions() const { return transitions_; }  // ever written, lost files included

 private:
  class MemoryStore;
  using AllocationKey =
      std::tuple<std::string, std::string, std::string, std::string, DeviceKey, std::string>;

  void Write(const StoreWrite& write);

  int file_ = 1;
  bool told_ = true;  // that the file before was moved aside
  std::optional<AliveRecord> alive_;
  std::map<DeviceKey, DeviceRecord> devices_;
  std::map<std::string, DriverRecord> drivers_;
  std::map<std::string, PodRecord> pods_;  // those not deleted
  std::map<AllocationKey, AllocationRecord> allocations_;
  std::map<DeviceKey, CdiIdRecord> cdi_ids_;
  std::map<DeviceKey, Transition> newest_;
  std::size_t transitions_ = 0;
};

}  // namespace dra_health

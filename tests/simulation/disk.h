#pragma once

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
  bool full = false;  // every write fails

  Result<Store::Opened> Open();

  StoredState State() const;
  const std::vector<Transition>& transitions() const { return transitions_; }

 private:
  class MemoryStore;
  using AllocationKey =
      std::tuple<std::string, std::string, std::string, std::string, DeviceKey, std::string>;

  void Write(const StoreWrite& write);

  std::optional<AliveRecord> alive_;
  std::map<DeviceKey, DeviceRecord> devices_;
  std::map<std::string, DriverRecord> drivers_;
  std::map<std::string, PodRecord> pods_;  // those not deleted
  std::map<AllocationKey, AllocationRecord> allocations_;
  std::vector<Transition> transitions_;
};

}  // namespace dra_health

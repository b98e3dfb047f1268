#include "disk.h"

#include <utility>

namespace dra_health {

class Disk::MemoryStore final : public Store {
 public:
  explicit MemoryStore(Disk& disk) : disk_(disk) {}

  Result<StoredState> Load() override { return disk_.State(); }

  Result<void> Apply(std::span<const StoreWrite> writes) override {
    if (disk_.full) return Fail(ErrorKind::kRetry, "no space left on device");
    for (const StoreWrite& write : writes) disk_.Write(write);
    return {};
  }

  Result<void> Prune(WallTime, std::size_t) override { return {}; }

 private:
  Disk& disk_;
};

Result<Store::Opened> Disk::Open() {
  Store::Opened opened;
  opened.store = std::make_unique<MemoryStore>(*this);
  return opened;
}

StoredState Disk::State() const {
  StoredState state;
  state.alive = alive_;
  for (const auto& [key, record] : devices_) state.devices.push_back(record);
  for (const auto& [key, record] : drivers_) state.drivers.push_back(record);
  for (const auto& [key, record] : pods_) state.pods.push_back(record);
  for (const auto& [key, record] : allocations_) {
    if (!record.to) state.allocations.push_back(record);
  }
  return state;
}

void Disk::Write(const StoreWrite& write) {
  if (const auto* alive = std::get_if<AliveRecord>(&write)) {
    alive_ = *alive;
  } else if (const auto* device = std::get_if<DeviceRecord>(&write)) {
    devices_.insert_or_assign(device->key, *device);
  } else if (const auto* driver = std::get_if<DriverRecord>(&write)) {
    drivers_.insert_or_assign(driver->name, *driver);
  } else if (const auto* pod = std::get_if<PodRecord>(&write)) {
    pods_.insert_or_assign(pod->uid, *pod);
    if (pod->deleted) pods_.erase(pod->uid);
  } else if (const auto* held = std::get_if<AllocationRecord>(&write)) {
    allocations_.insert_or_assign(AllocationKey{held->pod_uid, held->container, held->pod_claim,
                                                held->request, held->key, held->share_id},
                                  *held);
  } else if (const auto* end = std::get_if<EndAllocations>(&write)) {
    std::erase_if(allocations_,
                  [&](const auto& row) { return row.second.pod_uid == end->pod_uid; });
  } else if (const auto* forget = std::get_if<ForgetDevice>(&write)) {
    devices_.erase(forget->key);
  } else if (const auto* transition = std::get_if<Transition>(&write)) {
    transitions_.push_back(*transition);
  }
}

}  // namespace dra_health

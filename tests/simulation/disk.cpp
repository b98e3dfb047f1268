#include "disk.h"

#include <utility>

namespace dra_health {

class Disk::MemoryStore final : public Store {
 public:
  explicit MemoryStore(Disk& disk) : disk_(disk), file_(disk.file_) {}

  Result<StoredState> Load() override {
    if (!disk_.unreadable) return disk_.State();
    disk_.Lose();
    return Fail(ErrorKind::kItem, "database disk image is malformed");
  }

  Result<void> Apply(std::span<const StoreWrite> writes) override {
    if (file_ != disk_.file_) return Fail(ErrorKind::kItem, "the store was replaced");
    if (disk_.full) return Fail(ErrorKind::kRetry, "no space left on device");
    for (const StoreWrite& write : writes) disk_.Write(write);
    return {};
  }

  Result<void> Prune(WallTime, std::size_t) override { return {}; }

 private:
  Disk& disk_;
  const int file_;
};

void Disk::Lose() {
  ++file_;
  told_ = unreadable = false;
  alive_.reset();
  devices_.clear();
  drivers_.clear();
  pods_.clear();
  allocations_.clear();
  cdi_ids_.clear();
  newest_.clear();
}

Result<Store::Opened> Disk::Open() {
  if (locked) return Fail(ErrorKind::kFatal, "another process holds the store");
  if (closed) return Fail(ErrorKind::kRetry, "permission denied");
  Store::Opened opened;
  opened.store = std::make_unique<MemoryStore>(*this);
  if (!std::exchange(told_, true)) opened.moved_aside = "store.broken";
  return opened;
}

StoredState Disk::State() const {
  StoredState state;
  state.alive = alive_;
  for (const auto& [key, record] : devices_) state.devices.push_back(record);
  for (const auto& [key, record] : drivers_) state.drivers.push_back(record);
  for (const auto& [key, record] : pods_) state.pods.push_back(record);
  for (const auto& [key, record] : cdi_ids_) state.cdi_ids.push_back(record);
  for (const auto& [key, record] : allocations_) {
    if (!record.to) state.allocations.push_back(record);
  }
  return state;
}

const DeviceRecord* Disk::Find(const DeviceKey& key) const {
  const auto found = devices_.find(key);
  return found == devices_.end() ? nullptr : &found->second;
}

bool Disk::HasEnded(const std::string& pod_uid) const {
  const auto found = pods_.find(pod_uid);
  return found != pods_.end() && found->second.ended;
}

std::optional<LastHealth> Disk::LastOf(const std::string& pod_uid, const DeviceKey& key) const {
  std::optional<LastHealth> last;
  for (const auto& [id, record] : allocations_) {
    if (record.pod_uid != pod_uid || record.key != key) continue;
    if (!record.last || (last && last != record.last)) return std::nullopt;
    last = record.last;
  }
  return last;
}

const Transition* Disk::NewestOf(const DeviceKey& key) const {
  const auto found = newest_.find(key);
  return found == newest_.end() ? nullptr : &found->second;
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
  } else if (const auto* cdi = std::get_if<CdiIdRecord>(&write)) {
    cdi_ids_.insert_or_assign(cdi->key, *cdi);
  } else if (const auto* transition = std::get_if<Transition>(&write)) {
    newest_.insert_or_assign(transition->key, *transition);
    ++transitions_;
  }
}

}  // namespace dra_health

#include "cache/state_mirror.h"

#include <algorithm>

namespace dra_health {

template <typename Key, typename Record>
void StateMirror::Rows<Key, Record>::Put(const Key& key, const Record& record) {
  known.insert_or_assign(key, record);
  unwritten.insert(key);
}

template <typename Key, typename Record>
void StateMirror::Rows<Key, Record>::MarkAll() {
  for (const auto& [key, record] : known) unwritten.insert(key);
}

StateMirror::AllocationKey StateMirror::KeyOf(const AllocationRecord& record) {
  return {record.pod_uid, record.container, record.pod_claim,
          record.request, record.key,       record.share_id};
}

StateMirror::ContainerKey StateMirror::KeyOf(const ContainerRecord& record) {
  return {record.pod_uid, record.container, record.run.restart};
}

void StateMirror::Adopt(const StoredState& state) {
  for (const auto& record : state.devices) devices_.known.emplace(record.key, record);
  for (const auto& record : state.drivers) drivers_.known.emplace(record.name, record);
  for (const auto& record : state.pods) pods_.known.emplace(record.uid, record);
  for (const auto& record : state.allocations) allocations_.known.emplace(KeyOf(record), record);
  for (const auto& record : state.cdi_ids) cdi_ids_.known.emplace(record.key, record);
  for (const auto& record : state.containers) containers_.known.emplace(KeyOf(record), record);
  alive_ = state.alive;
}

void StateMirror::Merge(const StoreWrite& write) {
  std::visit([this](const auto& record) { Take(record); }, write);
}

void StateMirror::MergeWritten(std::span<const StoreWrite> writes) {
  for (const StoreWrite& write : writes) {
    if (!std::holds_alternative<Transition>(write)) Merge(write);
  }
  MarkWritten();
}

void StateMirror::Take(const DeviceRecord& record) { devices_.Put(record.key, record); }

void StateMirror::Take(const Transition& record) {
  transitions_.push_back(record);
  if (transitions_.size() <= limits_.transitions) return;
  transitions_.pop_front();
  ++dropped_;
}

void StateMirror::Take(const DriverRecord& record) { drivers_.Put(record.name, record); }

void StateMirror::Take(const PodRecord& record) {
  pods_.Put(record.uid, record);
  if (!record.deleted || std::ranges::find(gone_pods_, record.uid) != gone_pods_.end()) return;
  gone_pods_.push_back(record.uid);
  if (gone_pods_.size() > limits_.gone_pods) DropOldestGonePod();
}

void StateMirror::DropOldestGonePod() {
  const std::string uid = std::move(gone_pods_.front());
  gone_pods_.pop_front();
  pods_.known.erase(uid);
  pods_.unwritten.erase(uid);
  std::erase_if(allocations_.known, [&](const auto& row) { return row.second.pod_uid == uid; });
  std::erase_if(allocations_.unwritten, [&](const auto& key) { return std::get<0>(key) == uid; });
  std::erase_if(containers_.known, [&](const auto& row) { return row.second.pod_uid == uid; });
  std::erase_if(containers_.unwritten, [&](const auto& key) { return std::get<0>(key) == uid; });
  ends_.erase(uid);
  ++dropped_;
}

void StateMirror::Take(const AllocationRecord& record) { allocations_.Put(KeyOf(record), record); }

void StateMirror::Take(const AliveRecord& record) {
  alive_ = record;
  alive_unwritten_ = true;
}

void StateMirror::Take(const ForgetDevice& record) {
  devices_.known.erase(record.key);
  devices_.unwritten.insert(record.key);
}

void StateMirror::Take(const EndAllocations& record) {
  ends_.emplace(record.pod_uid, record.at);
  for (auto& [key, allocation] : allocations_.known) {
    if (allocation.pod_uid != record.pod_uid || allocation.to) continue;
    allocation.to = record.at;
    allocations_.unwritten.insert(key);
  }
}

void StateMirror::Take(const CdiIdRecord& record) { cdi_ids_.Put(record.key, record); }

void StateMirror::Take(const FieldDifferences& record) { differences_.Put(record.pod_uid, record); }

void StateMirror::Take(const ContainerRecord& record) { containers_.Put(KeyOf(record), record); }

void StateMirror::Take(const AbsenceRecord& record) { absences_.push_back(record); }

std::vector<StoreWrite> StateMirror::Unwritten() const {
  std::vector<StoreWrite> writes;
  writes.reserve(unwritten());
  const auto add_rows = [&](const auto& rows) {
    for (const auto& key : rows.unwritten) {
      const auto found = rows.known.find(key);
      if (found != rows.known.end()) writes.emplace_back(found->second);
    }
  };
  writes.insert(writes.end(), transitions_.begin(), transitions_.end());
  for (const DeviceKey& key : devices_.unwritten) {
    if (!devices_.known.contains(key)) writes.emplace_back(ForgetDevice{key});
  }
  add_rows(devices_);
  add_rows(drivers_);
  add_rows(pods_);
  // Before the allocations: one of them may have been opened after the end.
  for (const auto& [uid, at] : ends_) writes.emplace_back(EndAllocations{uid, at});
  add_rows(allocations_);
  add_rows(cdi_ids_);
  add_rows(differences_);
  add_rows(containers_);
  writes.insert(writes.end(), absences_.begin(), absences_.end());
  if (alive_ && alive_unwritten_) writes.emplace_back(*alive_);
  return writes;
}

void StateMirror::MarkWritten() {
  devices_.unwritten.clear();
  drivers_.unwritten.clear();
  pods_.unwritten.clear();
  allocations_.unwritten.clear();
  cdi_ids_.unwritten.clear();
  differences_.unwritten.clear();
  containers_.unwritten.clear();
  absences_.clear();
  std::erase_if(differences_.known, [](const auto& row) { return row.second.differences.empty(); });
  alive_unwritten_ = false;
  transitions_.clear();
  ends_.clear();
  gone_pods_.clear();
  // What is over is history now, and history is the store's alone.
  std::erase_if(containers_.known, [this](const auto& row) {
    const auto pod = pods_.known.find(row.second.pod_uid);
    return row.second.run.ended || (pod != pods_.known.end() && pod->second.deleted);
  });
  std::erase_if(pods_.known, [](const auto& row) { return row.second.deleted.has_value(); });
  std::erase_if(allocations_.known, [](const auto& row) { return row.second.to.has_value(); });
}

void StateMirror::MarkLost(const StoredState& present) {
  devices_.MarkAll();
  drivers_.MarkAll();
  pods_.MarkAll();
  allocations_.MarkAll();
  cdi_ids_.MarkAll();
  differences_.MarkAll();
  containers_.MarkAll();
  alive_unwritten_ = alive_.has_value();
  for (const DeviceRecord& record : present.devices) {
    if (!devices_.known.contains(record.key)) devices_.unwritten.insert(record.key);
  }
}

std::size_t StateMirror::unwritten() const {
  return transitions_.size() + devices_.unwritten.size() + drivers_.unwritten.size() +
         pods_.unwritten.size() + allocations_.unwritten.size() + cdi_ids_.unwritten.size() +
         differences_.unwritten.size() + containers_.unwritten.size() + absences_.size() +
         ends_.size() + (alive_unwritten_ ? 1 : 0);
}

}  // namespace dra_health

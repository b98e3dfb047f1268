#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "model/record.h"

namespace dra_health {

// What the store holds or should hold of the present, and what of it is not written yet: states
// merged by their key, so that any number of changes costs one row each, and the newest transitions
// in their order. From it a store that lost everything can be made whole. One owner, not
// synchronised.
class StateMirror {
 public:
  struct Limits {
    std::size_t transitions = 10'000;  // the oldest are dropped first
    std::size_t gone_pods = 1'000;     // deleted pods nobody could write down yet; the same
  };
  explicit StateMirror(Limits limits) : limits_(limits) {}

  // Takes over what the store holds, as written.
  void Adopt(const StoredState& state);
  // A write that is still to be made.
  void Merge(const StoreWrite& write);
  // Writes the store has made. REQUIRES: nothing is unwritten.
  void MergeWritten(std::span<const StoreWrite> writes);

  // One batch that makes a store say what the mirror says.
  std::vector<StoreWrite> Unwritten() const;
  void MarkWritten();
  // For a store that may have lost anything but `present`: all states count as unwritten, and
  // devices that only the store knows are to be forgotten, since what is not known here is not true
  // now.
  void MarkLost(const StoredState& present);

  // Transitions and deleted pods that were dropped at a limit: they are in no store. Never falls.
  std::size_t dropped() const { return dropped_; }
  std::size_t unwritten() const;

 private:
  using AllocationKey =
      std::tuple<std::string, std::string, std::string, std::string, DeviceKey, std::string>;
  using ContainerKey = std::tuple<std::string, std::string, std::int64_t>;
  static AllocationKey KeyOf(const AllocationRecord& record);
  static ContainerKey KeyOf(const ContainerRecord& record);

  template <typename Key, typename Record>
  struct Rows {
    std::map<Key, Record> known;
    std::set<Key> unwritten;  // not in `known`: to be removed from the store

    void Put(const Key& key, const Record& record);
    void MarkAll();
  };

  void Take(const DeviceRecord& record);
  void Take(const Transition& record);
  void Take(const DriverRecord& record);
  void Take(const PodRecord& record);
  void Take(const AllocationRecord& record);
  void Take(const AliveRecord& record);
  void Take(const ForgetDevice& record);
  void Take(const EndAllocations& record);
  void Take(const CdiIdRecord& record);
  void Take(const FieldDifferences& record);
  void Take(const ContainerRecord& record);
  void Take(const AbsenceRecord& record);
  void DropOldestGonePod();

  Limits limits_;
  Rows<DeviceKey, DeviceRecord> devices_;
  Rows<std::string, DriverRecord> drivers_;
  Rows<std::string, PodRecord> pods_;
  Rows<AllocationKey, AllocationRecord> allocations_;
  Rows<DeviceKey, CdiIdRecord> cdi_ids_;
  Rows<std::string, FieldDifferences> differences_;  // by pod
  Rows<ContainerKey, ContainerRecord> containers_;
  std::vector<AbsenceRecord> absences_;
  std::optional<AliveRecord> alive_;
  bool alive_unwritten_ = false;
  std::deque<Transition> transitions_;
  std::map<std::string, WallTime> ends_;  // by pod; for allocations that only the store knows
  std::deque<std::string> gone_pods_;     // deleted and unwritten, in the order of deletion
  std::size_t dropped_ = 0;
};

}  // namespace dra_health

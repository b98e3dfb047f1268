#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sim/api_server/json.h"

namespace dra_health::sim {

enum class Kind { kNode, kPod, kClaim };

struct ObjectId {
  Kind kind = Kind::kPod;
  std::string namespace_name;  // "" for nodes
  std::string name;

  auto operator<=>(const ObjectId&) const = default;
};

struct Change {
  std::int64_t version = 0;
  ObjectId id;
  ObjectPtr before;  // none: created
  ObjectPtr after;   // none: deleted
  ObjectPtr last;    // what a watch shows: `after`, or the deleted object with the new version
};

// What etcd and the watch cache are to a real server: objects under one resource version counter,
// and the changes that led to them.
//
// Not synchronised; one caller at a time. Objects are immutable once stored and shared by pointer.
// Deterministic: UIDs are counted, times come from the clock. History is bounded; what falls out
// counts as compacted.
class ObjectStore {
 public:
  explicit ObjectStore(const Clock& clock, std::size_t history = 1000)
      : clock_(clock), history_(history) {}

  ObjectPtr Get(const ObjectId& id) const;
  // All of a kind; of one namespace unless that is empty.
  std::vector<ObjectPtr> List(Kind kind, const std::string& namespace_name) const;

  // Creates or replaces. Fills in what an object has by nature: namespace, UID, creation time. A
  // UID other than the present one makes it another object under the same name: deleted, created.
  ObjectPtr Put(Kind kind, Json object);
  // An update that changes nothing is none: the resource version stays.
  ObjectPtr Update(const ObjectId& id, Json object);
  bool Delete(const ObjectId& id);

  std::int64_t version() const { return version_; }
  // The changes after `version`, or none if history no longer reaches back so far.
  std::optional<std::vector<Change>> ChangesSince(std::int64_t version) const;
  void Compact();

 private:
  ObjectPtr Record(const ObjectId& id, ObjectPtr before, Json object);

  const Clock& clock_;
  const std::size_t history_;
  std::int64_t version_ = 1;
  std::int64_t compacted_ = 0;
  std::int64_t uids_ = 0;
  std::map<ObjectId, ObjectPtr> objects_;
  std::deque<Change> changes_;
};

}  // namespace dra_health::sim

#include "sim/api_server/object_store.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace dra_health::sim {

namespace {

std::string CountedUid(std::int64_t number) {
  char text[48];
  std::snprintf(text, sizeof text, "00000000-0000-4000-8000-%012llx",
                static_cast<unsigned long long>(number));
  return text;
}

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kNode:
      return "Node";
    case Kind::kPod:
      return "Pod";
    case Kind::kClaim:
      return "ResourceClaim";
  }
  return "";
}

}  // namespace

ObjectPtr ObjectStore::Get(const ObjectId& id) const {
  const auto found = objects_.find(id);
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<ObjectPtr> ObjectStore::List(Kind kind, const std::string& namespace_name) const {
  std::vector<ObjectPtr> list;
  for (const auto& [id, object] : objects_) {
    if (id.kind != kind) continue;
    if (namespace_name.empty() || id.namespace_name == namespace_name) list.push_back(object);
  }
  return list;
}

ObjectPtr ObjectStore::Put(Kind kind, Json object) {
  Json& metadata = object["metadata"];
  if (kind != Kind::kNode && Text(metadata, "namespace").empty()) metadata["namespace"] = "default";
  const ObjectId id{kind, Text(metadata, "namespace"), Text(metadata, "name")};
  ObjectPtr before = Get(id);
  const std::string uid = Text(metadata, "uid");
  if (before && !uid.empty() && uid != MetadataText(*before, "uid")) {
    Delete(id);
    before = nullptr;
  }
  if (uid.empty()) metadata["uid"] = before ? MetadataText(*before, "uid") : CountedUid(++uids_);
  if (Text(metadata, "creationTimestamp").empty()) {
    metadata["creationTimestamp"] =
        before ? MetadataText(*before, "creationTimestamp") : FormatTime(clock_.Now().wall);
  }
  object["kind"] = KindName(kind);
  object["apiVersion"] = kind == Kind::kClaim ? "resource.k8s.io/v1" : "v1";
  return Record(id, std::move(before), std::move(object));
}

ObjectPtr ObjectStore::Update(const ObjectId& id, Json object) {
  ObjectPtr before = Get(id);
  if (before) {
    object["metadata"]["resourceVersion"] = MetadataText(*before, "resourceVersion");
    if (object == *before) return before;
  }
  return Record(id, std::move(before), std::move(object));
}

ObjectPtr ObjectStore::Record(const ObjectId& id, ObjectPtr before, Json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  ObjectPtr after = std::make_shared<const Json>(std::move(object));
  objects_[id] = after;
  changes_.push_back({version_, id, std::move(before), after, after});
  if (changes_.size() > history_) {
    compacted_ = changes_.front().version;
    changes_.pop_front();
  }
  return after;
}

bool ObjectStore::Delete(const ObjectId& id) {
  const ObjectPtr before = Get(id);
  if (!before) return false;
  Record(id, before, *before);
  changes_.back().after = nullptr;
  objects_.erase(id);
  return true;
}

std::optional<std::vector<Change>> ObjectStore::ChangesSince(std::int64_t version) const {
  if (version < compacted_) return std::nullopt;
  const auto first = std::upper_bound(
      changes_.begin(), changes_.end(), version,
      [](std::int64_t wanted, const Change& change) { return wanted < change.version; });
  return std::vector<Change>(first, changes_.end());
}

void ObjectStore::Compact() {
  changes_.clear();
  compacted_ = version_;
}

}  // namespace dra_health::sim

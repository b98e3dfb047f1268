#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/api_server/fault.h"
#include "sim/api_server/field_selector.h"
#include "sim/api_server/object_store.h"

namespace dra_health::sim {

struct WatchOptions {
  Kind kind = Kind::kPod;
  std::string namespace_name;  // "": all
  FieldSelector selector;
  std::optional<std::int64_t> from;  // none: what there is comes first, as ADDED events
  bool bookmarks = false;
  std::chrono::seconds timeout{0};  // 0: none
};

// One watch: what its client has still to be told. Pulled, so it needs no thread.
//
// Not synchronised; the caller that owns the store owns it. A watch that has ended stays ended.
class WatchStream {
 public:
  explicit WatchStream(WatchOptions options, std::optional<FaultKind> fault = std::nullopt)
      : options_(std::move(options)), fault_(fault) {}

  // The lines that are due, each a JSON object and a newline; "" when there is nothing new.
  std::string Next(const ObjectStore& store);
  // A bookmark at what was last told; "" for clients that did not ask for them.
  std::string Bookmark() const;
  // From now on it goes wrong in this way; see FaultKind.
  void Break(FaultKind kind) { fault_ = kind; }

  bool ended() const { return ended_; }
  std::chrono::seconds timeout() const { return options_.timeout; }

 private:
  std::string Events(const ObjectStore& store);
  std::string Initial(const ObjectStore& store);
  std::string Event(const Change& change) const;
  bool Selects(const ObjectPtr& object) const;

  WatchOptions options_;
  std::optional<FaultKind> fault_;
  std::int64_t told_ = 0;
  bool started_ = false;
  bool silent_ = false;
  bool ended_ = false;
};

}  // namespace dra_health::sim

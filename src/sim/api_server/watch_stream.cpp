#include "sim/api_server/watch_stream.h"

#include <utility>

#include "sim/api_server/status_answer.h"

namespace dra_health::sim {

namespace {

std::string Line(const char* type, const Json& object) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + object.dump() + "}\n";
}

std::string ExpiredLine(const std::string& message) {
  return Line("ERROR", StatusBody(410, "Expired", message));
}

}  // namespace

std::string WatchStream::Next(const ObjectStore& store) {
  if (ended_ || silent_) return "";
  std::string lines = Events(store);
  if (ended_ || !fault_) return lines;
  const FaultKind fault = *fault_;
  fault_.reset();
  switch (fault) {
    case FaultKind::kWatchGone:
      lines += ExpiredLine("The resourceVersion for the provided watch is too old.");
      ended_ = true;
      break;
    case FaultKind::kWatchGarbage:
      lines += "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Po\x01\n";
      break;
    case FaultKind::kWatchClosed:
      ended_ = true;
      break;
    case FaultKind::kWatchSilent:
      silent_ = true;
      break;
    default:
      break;
  }
  return lines;
}

std::string WatchStream::Events(const ObjectStore& store) {
  std::string lines;
  if (!std::exchange(started_, true)) {
    if (options_.from) {
      told_ = *options_.from;
    } else {
      lines = Initial(store);
      told_ = store.version();
    }
  }
  const auto changes = store.ChangesSince(told_);
  if (!changes) {
    ended_ = true;
    return lines + ExpiredLine("too old resource version: " + std::to_string(told_) + " (" +
                               std::to_string(store.version()) + ")");
  }
  for (const Change& change : *changes) lines += Event(change);
  told_ = std::max(told_, store.version());
  return lines;
}

std::string WatchStream::Initial(const ObjectStore& store) {
  std::string lines;
  for (const ObjectPtr& object : store.List(options_.kind, options_.namespace_name)) {
    if (Selects(object)) lines += Line("ADDED", *object);
  }
  return lines;
}

// A watch with a selector sees objects come and go as they begin and cease to match.
std::string WatchStream::Event(const Change& change) const {
  if (change.id.kind != options_.kind) return "";
  if (!options_.namespace_name.empty() && change.id.namespace_name != options_.namespace_name) {
    return "";
  }
  const bool before = Selects(change.before);
  const bool after = Selects(change.after);
  if (before && after) return Line("MODIFIED", *change.last);
  if (after) return Line("ADDED", *change.last);
  if (before) return Line("DELETED", *change.last);
  return "";
}

bool WatchStream::Selects(const ObjectPtr& object) const {
  return object && options_.selector.Matches(*object);
}

std::string WatchStream::Bookmark() const {
  if (!options_.bookmarks || !started_ || silent_ || ended_) return "";
  return Line("BOOKMARK", {{"kind", options_.kind == Kind::kPod ? "Pod" : "Object"},
                           {"apiVersion", "v1"},
                           {"metadata", {{"resourceVersion", std::to_string(told_)}}}});
}

}  // namespace dra_health::sim

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/pod.h"
#include "patcher/api_status.h"

namespace dra_health {

struct PodList {
  std::string resource_version;
  std::vector<std::shared_ptr<const Pod>> pods;
  std::vector<std::string> unreadable;  // why a pod was left out; one must not hide the others
};

// Reads a PodList pod by pod: no JSON tree of the whole list is ever built.
Result<PodList> ReadPodList(std::string_view text);

namespace watch {

struct Changed {
  std::shared_ptr<const Pod> pod;
};
struct Deleted {
  std::string uid;
};
struct Bookmark {};
struct ServerError {
  ApiStatus status;
};
// The object could not be read; the event is skipped.
struct Unreadable {
  std::string why;
};

}  // namespace watch

struct WatchEvent {
  std::string resource_version;  // to go on from; empty: the server said none
  std::variant<watch::Changed, watch::Deleted, watch::Bookmark, watch::ServerError,
               watch::Unreadable>
      what;
};

// One line of a watch. Error: not JSON, or not a watch event: the stream cannot be trusted.
Result<WatchEvent> ReadWatchLine(std::string_view line);

}  // namespace dra_health

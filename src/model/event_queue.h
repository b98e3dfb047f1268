#pragma once

#include <functional>
#include <mutex>
#include <variant>
#include <vector>

#include "base/unique_fd.h"
#include "model/event.h"

namespace dra_health {

// An adapter's own housekeeping that must happen on the main thread, such as freeing what gRPC must
// not free in a callback.
using MainTask = std::function<void()>;

using QueueItem = std::variant<Event, MainTask>;

// The one way from library threads to the main thread. Push from any thread; the rest on main.
// Bounded by its producers: a stream has one report on its way, a worker one answer.
class EventQueue {
 public:
  EventQueue();

  void Push(QueueItem item);
  std::vector<QueueItem> TakeAll();

  // Readable while there are items.
  int fd() const { return wake_.get(); }

 private:
  std::mutex mutex_;
  std::vector<QueueItem> items_;  // guarded by mutex_
  UniqueFd wake_;
};

}  // namespace dra_health

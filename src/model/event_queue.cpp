#include "model/event_queue.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace dra_health {

EventQueue::EventQueue() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Without it nothing can ever arrive; only a process out of descriptors gets here.
  if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void EventQueue::Push(QueueItem item) {
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(item));
  if (items_.size() == 1) ::eventfd_write(wake_.get(), 1);
}

std::vector<QueueItem> EventQueue::TakeAll() {
  const std::lock_guard lock(mutex_);
  std::uint64_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  return std::exchange(items_, {});
}

}  // namespace dra_health

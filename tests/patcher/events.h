#pragma once

#include <poll.h>

#include <deque>
#include <optional>
#include <utility>
#include <variant>

#include "model/event_queue.h"

namespace dra_health {

// The main thread's end of the queue: events in their order.
class Events {
 public:
  explicit Events(EventQueue& queue) : queue_(queue) {}

  // The next event; none when that takes longer than anybody would wait.
  std::optional<Event> Next() {
    constexpr int kMilliseconds = 20'000;
    while (taken_.empty()) {
      pollfd readable{.fd = queue_.fd(), .events = POLLIN, .revents = 0};
      if (::poll(&readable, 1, kMilliseconds) <= 0) return std::nullopt;
      Take();
    }
    Event event = std::move(taken_.front());
    taken_.pop_front();
    return event;
  }

  // The next event if it is a T.
  template <typename T>
  std::optional<T> Next() {
    std::optional<Event> event = Next();
    if (!event || !std::holds_alternative<T>(*event)) return std::nullopt;
    return std::get<T>(std::move(*event));
  }

  bool empty() {
    Take();
    return taken_.empty();
  }

 private:
  void Take() {
    for (QueueItem& item : queue_.TakeAll()) taken_.push_back(std::get<Event>(std::move(item)));
  }

  EventQueue& queue_;
  std::deque<Event> taken_;
};

}  // namespace dra_health

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "discovery/discovery.h"

namespace dra_health {

// The main thread of the agent, reduced to what discovery needs: polls, runs tasks, keeps events.
class Loop {
 public:
  explicit Loop(DiscoveryOptions options);
  ~Loop();  // stops discovery as the agent does

  // Runs until `done` says so; false when it does not within `limit`.
  bool RunUntil(const std::function<bool()>& done,
                std::chrono::milliseconds limit = std::chrono::seconds{20});

  template <typename T>
  std::vector<T> All() const {
    std::vector<T> all;
    for (const Event& event : events_) {
      if (const auto* found = std::get_if<T>(&event)) all.push_back(*found);
    }
    return all;
  }

  // Runs until there are `count` events of the kind.
  template <typename T>
  bool RunUntilThereAre(std::size_t count) {
    return RunUntil([&] { return All<T>().size() >= count; });
  }

  Discovery& discovery() { return *discovery_; }
  void set_read_on(bool read_on) { read_on_ = read_on; }

 private:
  void Turn(std::chrono::milliseconds longest);
  void Handle(Event event);

  SystemClock clock_;
  EventQueue queue_;
  std::unique_ptr<Discovery> discovery_;
  std::vector<Event> events_;
  bool read_on_ = true;  // ReadNext after each report
};

}  // namespace dra_health

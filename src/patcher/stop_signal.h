#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace dra_health {

// Lets a thread wait for a while and be called off. Any thread, for every method.
class StopSignal {
 public:
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  void WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return stopped_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;  // guarded by mutex_
};

}  // namespace dra_health

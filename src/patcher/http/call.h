#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <pplx/pplxtasks.h>

namespace dra_health {

using SteadyTime = std::chrono::steady_clock::time_point;

// One request under way: what its thread waits on, and what cancels it.
class Call {
 public:
  enum class Wake { kDone, kDeadline, kStopped };

  pplx::cancellation_token token() const { return cancel_.get_token(); }

  // Waits for `task` to end, however it ends. Cancels the request at `deadline` and on Stop.
  template <typename T>
  static Wake Wait(const std::shared_ptr<Call>& call, const pplx::task<T>& task,
                   SteadyTime deadline) {
    {
      const std::lock_guard lock(call->mutex_);
      call->done_ = false;
    }
    // A failed task that nobody asks ends the process: this continuation asks.
    task.then([call](const pplx::task<T>& ended) {
      try {
        ended.wait();
      } catch (...) {  // NOLINT(bugprone-empty-catch): who waits below gets it once more
      }
      const std::lock_guard lock(call->mutex_);
      call->done_ = true;
      call->changed_.notify_all();
    });
    return call->WaitUntil(deadline);
  }

  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

  void Cancel() { cancel_.cancel(); }

 private:
  // How long a cancelled call may take to close its socket. Only a name that is being resolved
  // cannot be cancelled; its task is left behind and owns all it uses.
  static constexpr std::chrono::milliseconds kCancelGrace{200};

  Wake WaitUntil(SteadyTime deadline) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [this] { return done_ || stopped_; });
    if (done_ && !stopped_) return Wake::kDone;
    const Wake wake = stopped_ ? Wake::kStopped : Wake::kDeadline;
    lock.unlock();
    cancel_.cancel();
    lock.lock();
    changed_.wait_for(lock, kCancelGrace, [this] { return done_; });
    return wake;
  }

  pplx::cancellation_token_source cancel_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;     // guarded by mutex_
  bool stopped_ = false;  // guarded by mutex_
};

}  // namespace dra_health

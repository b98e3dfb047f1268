#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dra_health {

// A few threads that do blocking work one job at a time each, in the order it was given.
//
// Thread: the owner's, for every method. A job runs on one of the queue's threads and must not
// throw. Close drops the jobs that were not begun and takes no more; Wait gives those under way
// some time, Join all that they need.
class WorkQueue {
 public:
  explicit WorkQueue(std::size_t threads);
  ~WorkQueue() {
    Close();
    Join();
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  using Job = std::function<void()>;
  void Add(Job job);
  void Close();
  // REQUIRES, both: closed.
  void Wait(std::chrono::milliseconds bound);
  void Join();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;  // guarded by mutex_
  std::size_t busy_ = 0;  // guarded by mutex_
  bool closed_ = false;   // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace dra_health

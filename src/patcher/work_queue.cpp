#include "patcher/work_queue.h"

#include <utility>

namespace dra_health {

WorkQueue::WorkQueue(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

void WorkQueue::Add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void WorkQueue::Close() {
  std::deque<Job> dropped;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(jobs_);
  }
  changed_.notify_all();
}

void WorkQueue::Wait(std::chrono::milliseconds bound) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, bound, [this] { return busy_ == 0; });
}

void WorkQueue::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkQueue::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (closed_) return;
    const Job job = std::exchange(jobs_.front(), nullptr);
    jobs_.pop_front();
    ++busy_;
    lock.unlock();
    job();
    lock.lock();
    --busy_;
    if (closed_) changed_.notify_all();
  }
}

}  // namespace dra_health

#include "model/event_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace dra_health {
namespace {

using namespace std::chrono_literals;

bool IsReadable(int fd, std::chrono::milliseconds within = 0ms) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&wait, 1, static_cast<int>(within.count())) == 1;
}

QueueItem Registered(PluginId id) {
  event::PluginRegistered registered;
  registered.id = id;
  return Event{std::move(registered)};
}

PluginId IdOf(const QueueItem& item) {
  return std::get<event::PluginRegistered>(std::get<Event>(item)).id;
}

TEST(EventQueue, IsReadableExactlyWhileItHoldsItems) {
  EventQueue queue;
  EXPECT_FALSE(IsReadable(queue.fd()));
  queue.Push(Event{event::Tick{}});
  queue.Push(Event{event::Tick{}});
  EXPECT_TRUE(IsReadable(queue.fd()));
  EXPECT_EQ(queue.TakeAll().size(), 2u);
  EXPECT_FALSE(IsReadable(queue.fd()));
  queue.Push(Event{event::Tick{}});
  EXPECT_TRUE(IsReadable(queue.fd()));
}

TEST(EventQueue, KeepsTheOrder) {
  EventQueue queue;
  for (PluginId id = 0; id < 10; ++id) queue.Push(Registered(id));
  const auto items = queue.TakeAll();
  ASSERT_EQ(items.size(), 10u);
  for (PluginId id = 0; id < 10; ++id) EXPECT_EQ(IdOf(items[id]), id);
}

TEST(EventQueue, TakingFromAnEmptyOneGivesNothing) {
  EventQueue queue;
  EXPECT_TRUE(queue.TakeAll().empty());
  EXPECT_TRUE(queue.TakeAll().empty());
}

TEST(EventQueue, CarriesTasksForTheMainThread) {
  EventQueue queue;
  bool done = false;
  queue.Push(MainTask([&] { done = true; }));
  EXPECT_FALSE(done);
  for (const auto& item : queue.TakeAll()) std::get<MainTask>(item)();
  EXPECT_TRUE(done);
}

// Nothing is lost, each thread's items stay in order, and no wake-up is missed: the reader sleeps
// on the descriptor alone.
TEST(EventQueue, CarriesAllItemsOfSeveralThreads) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 5'000;
  EventQueue queue;
  std::vector<std::jthread> writers;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    writers.emplace_back([&queue, thread] {
      for (std::uint64_t i = 0; i < kEach; ++i) queue.Push(Registered(thread * kEach + i));
    });
  }
  std::vector<std::uint64_t> next(kThreads, 0);
  for (std::uint64_t taken = 0; taken < kThreads * kEach;) {
    ASSERT_TRUE(IsReadable(queue.fd(), 30s)) << taken << " items came";
    for (const auto& item : queue.TakeAll()) {
      const std::uint64_t thread = IdOf(item) / kEach;
      ASSERT_EQ(IdOf(item) % kEach, next[thread]++);
      ++taken;
    }
  }
  EXPECT_FALSE(IsReadable(queue.fd()));
}

}  // namespace
}  // namespace dra_health

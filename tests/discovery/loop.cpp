#include "loop.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

namespace dra_health {

using std::chrono::milliseconds;

Loop::Loop(DiscoveryOptions options)
    : discovery_(Discovery::Create(std::move(options), clock_, queue_)) {}

Loop::~Loop() {
  discovery_->Stop();
  EXPECT_TRUE(RunUntil([this] { return discovery_->open_calls() == 0; }));
}

bool Loop::RunUntil(const std::function<bool()>& done, milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    Turn(milliseconds{20});  // conditions outside of the loop are looked at this often
  }
  return true;
}

void Loop::Turn(milliseconds longest) {
  discovery_->Poll();
  const auto wait = std::chrono::ceil<milliseconds>(discovery_->NextDeadline() - clock_.Now().boot);
  pollfd fds[] = {{.fd = queue_.fd(), .events = POLLIN, .revents = 0},
                  {.fd = discovery_->fd(), .events = POLLIN, .revents = 0}};
  ::poll(fds, 2, static_cast<int>(std::clamp(wait, milliseconds{0}, longest).count()));
  for (QueueItem& item : queue_.TakeAll()) {
    if (auto* task = std::get_if<MainTask>(&item)) {
      (*task)();
    } else {
      Handle(std::get<Event>(std::move(item)));
    }
  }
}

void Loop::Handle(Event event) {
  const auto* report = std::get_if<event::ReportReceived>(&event);
  if (report != nullptr && read_on_) discovery_->ReadNext(report->id);
  events_.push_back(std::move(event));
}

}  // namespace dra_health

#include "agent/agent_thread.h"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

#include "agent/agent.h"

namespace dra_health {

AgentThread::AgentThread(const AgentOptions& options)
    : stop_(MakeStopEvent()), thread_([this, options] {
        auto agent = Agent::Create(options);
        if (!agent) {
          spdlog::error("{}", agent.error().message);
          return;
        }
        ended_well_ = (*agent)->Run(stop_.get());
        // What a hanging library still holds cannot be freed safely.
        [[maybe_unused]] const Agent* const held = ended_well_ ? nullptr : agent->release();
      }) {}

UniqueFd AgentThread::MakeStopEvent() {
  UniqueFd fd(::eventfd(0, EFD_CLOEXEC));
  if (!fd) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

void AgentThread::Stop() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

}  // namespace dra_health

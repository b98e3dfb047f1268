#include "agent/agent_thread.h"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include "agent/agent.h"

namespace dra_health {

AgentThread::AgentThread(const AgentOptions& options)
    : stop_(::eventfd(0, EFD_CLOEXEC)), thread_([this, options] {
        auto agent = Agent::Create(options);
        if (!agent) {
          spdlog::error("{}", agent.error().message);
          return;
        }
        ended_well_ = (*agent)->Run(stop_.get());
      }) {}

void AgentThread::Stop() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

}  // namespace dra_health

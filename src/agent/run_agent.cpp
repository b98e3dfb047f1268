#include "agent/run_agent.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

#include "agent/agent.h"
#include "agent/stop_signals.h"
#include "base/memory.h"
#include "patcher/http_threads.h"

namespace dra_health {

AgentEnd RunAgent(const AgentOptions& options) {
  SaveMemory();
  const UniqueFd stop = CatchStopSignals();
  StartHttpThreads();
  auto agent = Agent::Create(options);
  if (!agent) {
    spdlog::error("{}", agent.error().message);
    return agent.error().kind == ErrorKind::kItem ? AgentEnd::kBadConfiguration
                                                  : AgentEnd::kStoreLocked;
  }
  spdlog::info("started on node {}, store {}, registration folder {}", options.api.node_name,
               options.store.string(), options.discovery.registration_dir.string());
  if (!(*agent)->Run(stop.get())) std::_Exit(1);
  spdlog::info("stopped");
  return AgentEnd::kStopped;
}

}  // namespace dra_health

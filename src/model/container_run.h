#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace dra_health {

enum class ContainerKind {
  kContainer,
  kSidecar,  // an init container with restartPolicy Always: runs as long as the pod
  kInit,     // over before the pod runs; never published
};
// "Container", "Sidecar", "Init".
std::string_view ToString(ContainerKind kind);
std::optional<ContainerKind> ParseContainerKind(std::string_view text);

// One run of a container, as its pod's status tells of it. The times are the kubelet's, which cuts
// them to whole seconds.
struct ContainerRun {
  std::int64_t restart = 0;         // 0: the first
  std::optional<WallTime> started;  // none: it could not be started
  std::optional<WallTime> ended;    // none: it has not ended, or nobody said when
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;  // 0: none was told
  std::string reason;       // OOMKilled, Error, Completed and the like; empty while it runs

  bool operator==(const ContainerRun&) const = default;
};

}  // namespace dra_health

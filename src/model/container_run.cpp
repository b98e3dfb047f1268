#include "model/container_run.h"

#include <array>
#include <utility>

#include "model/names.h"

namespace dra_health {
namespace {

using namespace std::string_view_literals;

constexpr std::array kContainerKindNames = {
    std::pair{ContainerKind::kContainer, "Container"sv},
    std::pair{ContainerKind::kSidecar, "Sidecar"sv},
    std::pair{ContainerKind::kInit, "Init"sv},
};

}  // namespace

std::string_view ToString(ContainerKind kind) { return NameOf(kContainerKindNames, kind); }
std::optional<ContainerKind> ParseContainerKind(std::string_view text) {
  return ValueOf<ContainerKind>(kContainerKindNames, text);
}

}  // namespace dra_health

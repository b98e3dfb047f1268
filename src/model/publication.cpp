#include "model/publication.h"

#include <algorithm>

namespace dra_health {

bool SameEntries(const std::vector<ResourceStatus>& a, const std::vector<ResourceStatus>& b,
                 bool with_messages) {
  const auto same_resource = [&](const ResourceHealth& x, const ResourceHealth& y) {
    return x.resource_id == y.resource_id && x.health == y.health &&
           (!with_messages || x.message == y.message);
  };
  return std::ranges::equal(a, b, [&](const ResourceStatus& x, const ResourceStatus& y) {
    return x.name == y.name && std::ranges::equal(x.resources, y.resources, same_resource);
  });
}

}  // namespace dra_health

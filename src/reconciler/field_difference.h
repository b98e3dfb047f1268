#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/publication.h"
#include "model/record.h"

namespace dra_health {

// Devices by their CDI ID, which a kubelet writes as resourceID where a device has one.
using CdiNames = std::map<std::string, DeviceKey>;

// Adds where `said`, the claim entries that a container status has, differs from what we would say,
// device by device, however the writers name it. Pure.
void AddDifferences(const std::vector<ResourceStatus>& said, const ContainerPublication& wanted,
                    const CdiNames& names, std::vector<FieldDifference>& all);

}  // namespace dra_health

#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/publication.h"
#include "model/record.h"

namespace dra_health {

// The CDI ID, which a kubelet writes as resourceID, of each device by its driver/pool/device. Two
// devices can have the same: drivers give all of theirs a common one.
using CdiNames = std::map<std::string, std::string>;

// Adds where `said`, the claim entries that a container status has, differs from what we would say,
// device by device, however the writers name it. Pure.
void AddDifferences(const std::vector<ResourceStatus>& said, const ContainerPublication& wanted,
                    const CdiNames& names, std::vector<FieldDifference>& all);

}  // namespace dra_health

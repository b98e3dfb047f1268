#pragma once

#include <string>

#include "model/publication.h"

namespace dra_health {

// The JSON Patch (RFC 6902) on pods/status that makes `patch.pod` say `patch.want`. Pure.
//
// Tests what it stands on: the UID; the name of each container status it touches; the old list
// where it holds entries of others; the condition's type at its index, or the resource version when
// the condition is appended. containerStatuses is an atomic list, so nothing but a JSON Patch can
// change one element and leave the rest to the kubelet. `indent` < 0 prints one line.
std::string BuildPatch(const PodPatch& patch, int indent = -1);

}  // namespace dra_health

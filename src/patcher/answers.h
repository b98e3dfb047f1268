#pragma once

#include <memory>
#include <string>

#include "model/claim.h"
#include "model/event.h"
#include "model/pod.h"
#include "model/publication.h"
#include "patcher/http_client.h"

namespace dra_health {

// What the API server's answers mean, as event.h describes it. Pure.
Result<std::shared_ptr<const Claim>> ReadClaimAnswer(const std::string& namespace_name,
                                                     const std::string& name,
                                                     const HttpAnswer& answer);
Result<std::shared_ptr<const Pod>> ReadPodAnswer(const std::string& namespace_name,
                                                 const std::string& name, const HttpAnswer& answer);
event::PatchDone ReadPatchAnswer(const PodPatch& patch, const HttpAnswer& answer);

}  // namespace dra_health

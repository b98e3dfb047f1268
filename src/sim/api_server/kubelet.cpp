#include "sim/api_server/kubelet.h"

#include <utility>

#include "sim/api_server/pod_status.h"

namespace dra_health::sim {

namespace {

constexpr const char* kField = "allocatedResourcesStatus";

template <typename Change>
void ForEachStatus(Json& pod, Change change) {
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    if (!Member(Member(pod, "status"), list).is_array()) continue;
    for (Json& status : pod["status"][list]) change(status);
  }
}

}  // namespace

Json WithoutClaimEntries(Json pod) {
  ForEachStatus(pod, [](Json& status) {
    if (status.contains(kField)) status[kField] = EntriesOfOthers(status[kField]);
  });
  return pod;
}

Json WithList(Json pod, const std::string& container, const Json& list) {
  ForEachStatus(pod, [&](Json& status) {
    if (Text(status, "name") == container) status[kField] = list;
  });
  return pod;
}

Json Ended(Json pod, int exit_code, const std::string& time) {
  pod = WithoutClaimEntries(std::move(pod));
  ForEachStatus(pod, [&](Json& status) {
    status["ready"] = false;
    status["state"] = {{"terminated",
                        {{"exitCode", exit_code},
                         {"reason", exit_code == 0 ? "Completed" : "Error"},
                         {"finishedAt", time}}}};
  });
  pod["status"]["phase"] = exit_code == 0 ? "Succeeded" : "Failed";
  return pod;
}

}  // namespace dra_health::sim

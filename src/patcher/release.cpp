#include "patcher/release.h"

#include <chrono>
#include <optional>
#include <utility>

#include "model/event.h"
#include "model/publication.h"
#include "patcher/answers.h"
#include "patcher/api_requests.h"
#include "patcher/api_status.h"
#include "patcher/patch_builder.h"
#include "patcher/pod_stream.h"

namespace dra_health {
namespace {

// How often a pod that somebody else has just written is read and patched again.
constexpr int kAttempts = 5;

Error WhyNot(const std::string& what, const HttpAnswer& answer) {
  if (!answer) return {ErrorKind::kRetry, what + ": " + answer.error().why};
  const bool refused = answer->status == 401 || answer->status == 403;
  return {refused ? ErrorKind::kItem : ErrorKind::kRetry, what + ": " + Describe(*answer)};
}

PodPatch WithoutOurs(std::shared_ptr<const Pod> pod) {
  PodPatch patch;
  for (const ContainerStatus& status : pod->statuses) {
    if (status.claim_entries.empty()) continue;
    patch.want.containers.push_back({status.path, status.name, {}});
  }
  patch.pod = std::move(pod);
  return patch;
}

}  // namespace

Result<bool> PodRelease::RemoveGuard() {
  // The binding first: without it the policy does nothing.
  return Delete("mutatingadmissionpolicybindings").and_then([&](bool bound) {
    return Delete("mutatingadmissionpolicies").map([&](bool there) { return bound || there; });
  });
}

Result<bool> PodRelease::Delete(const std::string& resource) {
  const HttpAnswer answer = session_.Send(DeleteAdmissionPolicy(resource, kGuardName));
  if (answer && answer->status == 200) return true;
  // Either no such object, or a server that does not serve the kind.
  if (answer && answer->status == 404) return false;
  return tl::unexpected(WhyNot("DELETE " + resource + "/" + kGuardName, answer));
}

Result<std::vector<std::shared_ptr<const Pod>>> PodRelease::Find(const std::string& node) {
  const HttpAnswer answer = session_.Send(ListPodsNow(node));
  const std::string what = node.empty() ? "LIST pods" : "LIST pods of node " + node;
  if (!answer || answer->status != 200) return tl::unexpected(WhyNot(what, answer));
  Result<PodList> list = ReadPodList(answer->body);
  if (!list) return tl::unexpected(std::move(list).error());
  if (!list->unreadable.empty()) {
    return Fail(ErrorKind::kItem, what + ": " + list->unreadable.front());
  }
  std::erase_if(list->pods, [](const auto& pod) { return !pod->condition; });
  return std::move(list->pods);
}

Result<void> PodRelease::Release(std::shared_ptr<const Pod> pod) {
  const std::string namespace_name = pod->namespace_name;
  const std::string name = pod->name;
  const std::string uid = pod->uid;
  for (int attempt = 1;; ++attempt) {
    const PodPatch patch = WithoutOurs(pod);
    const event::PatchDone done = ReadPatchAnswer(
        patch, session_.Send(PatchPodStatus(namespace_name, name, BuildPatch(patch))));
    switch (done.outcome) {
      case event::PatchOutcome::kApplied:
      case event::PatchOutcome::kGone:
        return {};
      case event::PatchOutcome::kStale:
        break;
      case event::PatchOutcome::kRetry:
        return Fail(ErrorKind::kRetry, done.why);
      case event::PatchOutcome::kInvalid:
      case event::PatchOutcome::kDenied:
      case event::PatchOutcome::kForbidden:
        return Fail(ErrorKind::kItem, done.why);
    }
    if (attempt == kAttempts) return Fail(ErrorKind::kRetry, done.why);
    const auto read =
        ReadPodAnswer(namespace_name, name, session_.Send(GetPod(namespace_name, name)));
    if (!read && read.error().kind == ErrorKind::kRetry) return tl::unexpected(read.error());
    if (!read || (*read)->uid != uid || !(*read)->condition) return {};
    pod = *read;
  }
}

}  // namespace dra_health

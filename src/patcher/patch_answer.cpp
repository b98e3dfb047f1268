#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "patcher/answers.h"
#include "patcher/api_status.h"
#include "patcher/pod_reader.h"

namespace dra_health {
namespace {

using event::InvalidEntry;
using event::PatchDone;
using event::PatchOutcome;

// Takes "prefix[N]" off the front of `field`.
std::optional<std::size_t> TakeIndexed(std::string_view& field, std::string_view prefix) {
  if (!field.starts_with(prefix)) return std::nullopt;
  const std::string_view rest = field.substr(prefix.size());
  const std::size_t close = rest.find(']');
  if (!rest.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + close, index);
  if (error != std::errc{} || end != rest.data() + close) return std::nullopt;
  field = rest.substr(close + 1);
  return index;
}

// status.containerStatuses[0].allocatedResourcesStatus[1].name, or a shorter form of it.
std::optional<InvalidEntry> ParseField(std::string_view field, const std::string& why) {
  InvalidEntry invalid{.why = why};
  if (!field.starts_with("status.")) return std::nullopt;
  field.remove_prefix(std::string_view("status.").size());
  std::optional<std::size_t> status = TakeIndexed(field, "containerStatuses");
  if (!status) {
    invalid.path.init = true;
    status = TakeIndexed(field, "initContainerStatuses");
  }
  if (!status) return std::nullopt;
  invalid.path.index = *status;
  invalid.entry = TakeIndexed(field, ".allocatedResourcesStatus");
  return invalid;
}

std::vector<InvalidEntry> FindInvalid(const PodPatch& patch, const ApiStatus& status) {
  std::vector<InvalidEntry> found;
  for (const ApiStatus::Cause& cause : status.causes) {
    std::optional<InvalidEntry> invalid =
        ParseField(cause.field, cause.field + ": " + cause.message);
    if (!invalid) continue;
    // The list that was written has ours first; what follows is others' and not ours to leave out.
    const auto container =
        std::ranges::find(patch.want.containers, invalid->path, &ContainerPublication::path);
    if (container == patch.want.containers.end() ||
        (invalid->entry && *invalid->entry >= container->entries.size())) {
      invalid->entry = std::nullopt;
    }
    found.push_back(*std::move(invalid));
  }
  return found;
}

PatchOutcome OutcomeOf(int code, const ApiStatus& status) {
  if (code >= 400 && code < 500 && status.IsDenial()) return PatchOutcome::kDenied;
  switch (code) {
    case 403:
      return PatchOutcome::kForbidden;
    case 404:
      return PatchOutcome::kGone;
    case 409:
      return PatchOutcome::kStale;
    case 422: {
      // A failed `test` carries no causes and only a general message.
      const bool validation = std::ranges::any_of(
          status.causes, [](const ApiStatus::Cause& cause) { return !cause.field.empty(); });
      return validation ? PatchOutcome::kInvalid : PatchOutcome::kStale;
    }
    case 400:  // not a patch, or not one for this object: sent again it fails again
    case 413:
    case 415:
      return PatchOutcome::kInvalid;
    default:
      return PatchOutcome::kRetry;
  }
}

// A server that asks for hours would silence the agent; it is asked again after this.
std::chrono::seconds Bounded(std::chrono::seconds retry_after) {
  return std::clamp(retry_after, std::chrono::seconds{0}, std::chrono::seconds{300});
}

void ReadApplied(const std::string& what, const HttpResponse& response, PatchDone& done) {
  Result<std::shared_ptr<const Pod>> pod = ReadPodText(response.body);
  if (pod) {
    done.outcome = PatchOutcome::kApplied;
    done.answer = *std::move(pod);
  } else {
    done.why = what + pod.error().message + " (" + Describe(response) + ")";
  }
}

}  // namespace

PatchDone ReadPatchAnswer(const PodPatch& patch, const HttpAnswer& answer) {
  const Pod& pod = *patch.pod;
  const std::string what = "PATCH status of pod " + pod.namespace_name + "/" + pod.name + ": ";
  PatchDone done{.uid = pod.uid};
  if (!answer) {
    done.why = what + answer.error().why;
    return done;
  }
  if (answer->status == 200) {
    ReadApplied(what, *answer, done);
    return done;
  }
  const std::optional<ApiStatus> status = ReadApiStatus(answer->body);
  done.why = what + Describe(*answer, status);
  done.retry_after = Bounded(answer->retry_after);
  // Whoever answers without a Status, a proxy most likely, knows nothing about the pod.
  if (!status) return done;
  done.retry_after = Bounded(std::max(answer->retry_after, status->retry_after));
  done.outcome = OutcomeOf(answer->status, *status);
  if (done.outcome == PatchOutcome::kInvalid) done.invalid = FindInvalid(patch, *status);
  if (done.outcome == PatchOutcome::kForbidden) {
    done.why = "missing permission to patch pods/status: " + done.why;
  }
  return done;
}

}  // namespace dra_health

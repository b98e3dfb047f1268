#include "sim/api_server/fault_queue.h"

#include <algorithm>

#include "sim/api_server/status_answer.h"

namespace dra_health::sim {

namespace {

ApiResponse Forbidden(const Route& route) {
  const std::string group = route.kind == Kind::kClaim ? "resource.k8s.io" : "";
  const std::string where = route.namespace_name.empty()
                                ? " at the cluster scope"
                                : " in the namespace \"" + route.namespace_name + "\"";
  return Failure(403, "Forbidden",
                 route.resource + " \"" + route.name +
                     "\" is forbidden: User \"system:serviceaccount:sim:agent\" cannot " +
                     route.verb + " resource \"" + route.resource + "\" in API group \"" + group +
                     "\"" + where,
                 {{"name", route.name}, {"kind", route.resource}});
}

ApiResponse TooManyRequests(std::chrono::seconds retry_after) {
  ApiResponse answer;
  answer.status = 429;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = "Too many requests, please try again later.\n";
  answer.retry_after = retry_after;
  return answer;
}

ApiResponse HtmlPage() {
  ApiResponse answer;
  answer.content_type = "text/html; charset=utf-8";
  answer.body = "<!DOCTYPE html><html><body><h1>Welcome to the proxy</h1></body></html>\n";
  return answer;
}

}  // namespace

std::optional<Fault> FaultQueue::Take(const std::string& verb, const std::string& target) {
  const auto fits = [&](const Fault& fault) {
    return (fault.verb.empty() || fault.verb == verb) &&
           target.find(fault.path) != std::string::npos;
  };
  const auto found = std::find_if(faults_.begin(), faults_.end(), fits);
  if (found == faults_.end()) return std::nullopt;
  Fault fault = *found;
  if (found->times > 0) --found->times;
  if (found->times == 0) faults_.erase(found);
  return fault;
}

std::optional<ApiResponse> AnswerOf(const Fault& fault, const Route& route) {
  const std::string resource = route.resource.substr(0, route.resource.find('/'));
  switch (fault.kind) {
    case FaultKind::kUnauthorized:
      return Unauthorized();
    case FaultKind::kForbidden:
      return Forbidden(route);
    case FaultKind::kNotFound:
      return NotFound(resource, route.name);
    case FaultKind::kConflict:
      return Conflict(resource, route.name);
    case FaultKind::kGone:
      return Failure(410, "Expired", "The resourceVersion for the provided list is too old.");
    case FaultKind::kFailedTest:
      return PatchFailed();
    case FaultKind::kInvalidField:
      return Invalid(
          "Pod", route.name,
          {{"FieldValueInvalid", "Invalid value: \"sim\": the simulation says so", fault.field}});
    case FaultKind::kPolicyDenied:
      return PolicyDenied(resource, route.name);
    case FaultKind::kTooManyRequests:
      return TooManyRequests(fault.retry_after);
    case FaultKind::kInternalError:
      return Failure(500, "InternalError", "Internal error occurred: the simulation says so");
    case FaultKind::kUnavailable:
      return Failure(503, "ServiceUnavailable",
                     "the server is currently unable to handle the request");
    case FaultKind::kHtml:
      return HtmlPage();
    default:
      return std::nullopt;
  }
}

Delivery DeliveryOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kCut:
      return Delivery::kCut;
    case FaultKind::kHang:
      return Delivery::kHang;
    case FaultKind::kDrip:
      return Delivery::kDrip;
    case FaultKind::kTruncate:
      return Delivery::kTruncate;
    default:
      return Delivery::kWhole;
  }
}

bool BreaksWatches(FaultKind kind) {
  return kind == FaultKind::kWatchGone || kind == FaultKind::kWatchGarbage ||
         kind == FaultKind::kWatchClosed || kind == FaultKind::kWatchSilent;
}

}  // namespace dra_health::sim

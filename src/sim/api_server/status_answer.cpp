#include "sim/api_server/status_answer.h"

namespace dra_health::sim {

namespace {

Json Details(const std::string& kind, const std::string& name) {
  Json details = Json::object();
  if (!name.empty()) details["name"] = name;
  if (!kind.empty()) details["kind"] = kind;
  return details;
}

}  // namespace

Json StatusBody(int code, const std::string& reason, const std::string& message,
                const Json& details) {
  Json body = {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", Json::object()},
               {"status", "Failure"}, {"message", message}, {"reason", reason},
               {"code", code}};
  if (!details.is_null()) body["details"] = details;
  return body;
}

ApiResponse Failure(int code, const std::string& reason, const std::string& message,
                    const Json& details) {
  ApiResponse answer;
  answer.status = code;
  answer.body = StatusBody(code, reason, message, details).dump();
  return answer;
}

ApiResponse BadRequest(const std::string& message) { return Failure(400, "BadRequest", message); }

ApiResponse Unauthorized() { return Failure(401, "Unauthorized", "Unauthorized"); }

ApiResponse NotFound(const std::string& resource, const std::string& name) {
  return Failure(404, "NotFound", resource + " \"" + name + "\" not found",
                 Details(resource, name));
}

ApiResponse Conflict(const std::string& resource, const std::string& name) {
  return Failure(409, "Conflict",
                 "Operation cannot be fulfilled on " + resource + " \"" + name +
                     "\": the object has been modified; please apply your changes to the latest "
                     "version and try again",
                 Details(resource, name));
}

ApiResponse PatchFailed() {
  return Failure(422, "Invalid", "the server rejected our request due to an error in our request",
                 Json::object());
}

ApiResponse Invalid(const std::string& kind, const std::string& name,
                    const std::vector<Cause>& causes) {
  Json details = Details(kind, name);
  std::string texts;
  for (const Cause& cause : causes) {
    details["causes"].push_back(
        {{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
    texts += (texts.empty() ? "" : ", ") + cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) texts = "[" + texts + "]";
  return Failure(422, "Invalid", kind + " \"" + name + "\" is invalid: " + texts, details);
}

ApiResponse PolicyDenied(const std::string& resource, const std::string& name) {
  const std::string why =
      "ValidatingAdmissionPolicy 'sim-policy' with binding 'sim-policy' denied request: the "
      "simulation says so";
  Json details = Details(resource, name);
  details["causes"].push_back({{"message", why}});
  return Failure(422, "Invalid", resource + " \"" + name + "\" is forbidden: " + why, details);
}

}  // namespace dra_health::sim

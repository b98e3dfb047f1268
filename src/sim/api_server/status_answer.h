#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sim/api_server/http_message.h"
#include "sim/api_server/json.h"

namespace dra_health::sim {

// One element of a Status's details.causes.
struct Cause {
  std::string reason;  // "FieldValueInvalid" and its kin
  std::string message;
  std::string field;
};

// A metav1.Status of a failure.
Json StatusBody(int code, const std::string& reason, const std::string& message,
                const Json& details = nullptr);

// Answers with such a body. Texts and details are those of a real server (apimachinery's
// api/errors), since clients decide by them.
ApiResponse Failure(int code, const std::string& reason, const std::string& message,
                    const Json& details = nullptr);
ApiResponse BadRequest(const std::string& message);
ApiResponse Unauthorized();
ApiResponse NotFound(const std::string& resource, const std::string& name);
ApiResponse Conflict(const std::string& resource, const std::string& name);
// 422 of a patch that does not apply: nothing tells which operation it was.
ApiResponse PatchFailed();
// 422 of validation: the causes name the fields.
ApiResponse Invalid(const std::string& kind, const std::string& name,
                    const std::vector<Cause>& causes);
// 422 of a ValidatingAdmissionPolicy: only the message names it.
ApiResponse PolicyDenied(const std::string& resource, const std::string& name);

}  // namespace dra_health::sim

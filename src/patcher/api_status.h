#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patcher/http_client.h"

namespace dra_health {

// The parts of a metav1.Status that tell one failure from another.
struct ApiStatus {
  struct Cause {
    std::string field;
    std::string reason;
    std::string message;
  };
  int code = 0;
  std::string reason;
  std::string message;
  std::string name;  // details.name: the object spoken of
  std::vector<Cause> causes;
  std::chrono::seconds retry_after{0};

  // History before the resource version is gone, or the version is of another history: list again.
  bool IsExpired() const;
  // An admission policy or webhook said no, not the API server itself.
  bool IsDenial() const;
};

// nullopt when `text` is no Status: a proxy's page, an empty body.
std::optional<ApiStatus> ReadApiStatus(std::string_view text);

// "403 Forbidden: <the server's message>", "502 with an HTML page instead of JSON", ...
std::string Describe(const HttpResponse& response, const std::optional<ApiStatus>& status);
std::string Describe(const HttpResponse& response);

}  // namespace dra_health

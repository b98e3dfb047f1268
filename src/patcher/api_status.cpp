#include "patcher/api_status.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "patcher/json_node.h"

namespace dra_health {
namespace {

constexpr std::size_t kMaxMessage = 1024;  // of somebody else's text in ours

bool LooksLikeHtml(std::string_view body) {
  const auto start =
      std::ranges::find_if_not(body, [](unsigned char c) { return std::isspace(c); });
  return start != body.end() && *start == '<';
}

}  // namespace

bool ApiStatus::IsExpired() const {
  // 504 with this cause: the server has never heard of a version this large, as after a restore of
  // etcd from a backup. It would wait for it for ever.
  const bool unknown_version = std::ranges::any_of(
      causes, [](const Cause& cause) { return cause.reason == "ResourceVersionTooLarge"; });
  return code == 410 || reason == "Expired" || reason == "Gone" || unknown_version;
}

bool ApiStatus::IsDenial() const {
  // The words of ValidatingAdmissionPolicy, MutatingAdmissionPolicy and the two kinds of webhooks;
  // code and reason are the policy author's choice.
  const bool admission = message.find("AdmissionPolicy '") != std::string::npos ||
                         message.find("admission webhook \"") != std::string::npos;
  return admission && message.find("denied") != std::string::npos;
}

std::optional<ApiStatus> ReadApiStatus(std::string_view text) {
  const nlohmann::json json = ParseJson(text);
  if (!json.is_object()) return std::nullopt;
  std::string problem;
  const JsonNode root(json, problem);
  if (root["kind"].Text() != "Status") return std::nullopt;

  const auto number = [](const JsonNode& node) {
    return node.exists() && node.value()->is_number_integer() ? node.value()->get<std::int64_t>()
                                                              : 0;
  };
  const JsonNode details = root["details"];
  ApiStatus status{.code = static_cast<int>(number(root["code"])),
                   .reason = root["reason"].Text(),
                   .message = CutBytes(Printable(root["message"].Text()), kMaxMessage),
                   .name = details["name"].Text(),
                   .retry_after = std::chrono::seconds{number(details["retryAfterSeconds"])}};
  for (const JsonNode& cause : details["causes"].Items()) {
    status.causes.push_back({.field = cause["field"].Text(),
                             .reason = cause["reason"].Text(),
                             .message = CutBytes(Printable(cause["message"].Text()), kMaxMessage)});
  }
  return status;
}

std::string Describe(const HttpResponse& response, const std::optional<ApiStatus>& status) {
  const std::string code = std::to_string(response.status);
  if (status) {
    return code + (status->reason.empty() ? "" : " " + status->reason) + ": " + status->message;
  }
  if (response.body.empty()) return code + " with an empty body";
  if (LooksLikeHtml(response.body)) {
    return code + " with an HTML page instead of JSON: something between here and there answers";
  }
  return code + " with a body that is not what a Kubernetes API server sends";
}

std::string Describe(const HttpResponse& response) {
  return Describe(response, ReadApiStatus(response.body));
}

}  // namespace dra_health

#include <string_view>

#include "patcher/answers.h"
#include "patcher/api_status.h"
#include "patcher/claim_reader.h"
#include "patcher/pod_reader.h"

namespace dra_health {
namespace {

constexpr std::string_view kNoSuchPath = "404 page not found";  // net/http's, for an unserved group

Error WhyNot(const std::string& what, const std::string& permission, const HttpAnswer& answer) {
  if (!answer) return {ErrorKind::kRetry, "GET " + what + ": " + answer.error().why};
  const std::optional<ApiStatus> status = ReadApiStatus(answer->body);
  const std::string why = "GET " + what + ": " + Describe(*answer, status);
  if (answer->status == 404 && answer->body.starts_with(kNoSuchPath)) {
    return {ErrorKind::kItem, "GET " + what +
                                  ": the API server does not serve this API; ResourceClaims need "
                                  "resource.k8s.io/v1 (Kubernetes 1.34)"};
  }
  if (!status) return {ErrorKind::kRetry, why};
  if (answer->status == 404) return {ErrorKind::kItem, what + " not found"};
  if (answer->status == 403) {
    return {ErrorKind::kItem, "missing permission to " + permission + ": " + why};
  }
  return {ErrorKind::kRetry, why};
}

// 200, but not an object of the kind that was asked for: whoever answered is not the API server.
template <typename T>
Result<T> OrRetry(Result<T> read, const std::string& what, const HttpResponse& response) {
  if (read || ReadApiStatus(response.body)) return read;
  return Fail(ErrorKind::kRetry,
              "GET " + what + ": " + read.error().message + " (" + Describe(response) + ")");
}

}  // namespace

Result<std::shared_ptr<const Claim>> ReadClaimAnswer(const std::string& namespace_name,
                                                     const std::string& name,
                                                     const HttpAnswer& answer) {
  const std::string what = "ResourceClaim " + namespace_name + "/" + name;
  if (answer && answer->status == 200) return OrRetry(ReadClaimText(answer->body), what, *answer);
  return tl::unexpected(WhyNot(what, "get resourceclaims in resource.k8s.io", answer));
}

Result<std::shared_ptr<const Pod>> ReadPodAnswer(const std::string& namespace_name,
                                                 const std::string& name,
                                                 const HttpAnswer& answer) {
  const std::string what = "pod " + namespace_name + "/" + name;
  if (answer && answer->status == 200) return OrRetry(ReadPodText(answer->body), what, *answer);
  Error why = WhyNot(what, "get pods", answer);
  // Not to be allowed to look is no news about the pod.
  if (answer && answer->status != 404) why.kind = ErrorKind::kRetry;
  return tl::unexpected(std::move(why));
}

}  // namespace dra_health

#include <utility>

#include "patcher/api_client.h"
#include "patcher/api_worker.h"
#include "patcher/credentials.h"
#include "patcher/http/cpprest_client.h"

namespace dra_health {

Result<std::unique_ptr<ApiClient>> ApiClient::Create(ApiOptions options, EventQueue& queue) {
  const Result<Credentials> credentials = FindCredentials(options.kubeconfig);
  if (!credentials) return tl::unexpected(credentials.error());
  Result<std::unique_ptr<HttpClient>> http = MakeHttpClient(*credentials);
  if (!http) return tl::unexpected(std::move(http).error());
  return MakeApiClient(std::move(options), *credentials, *std::move(http), queue);
}

}  // namespace dra_health

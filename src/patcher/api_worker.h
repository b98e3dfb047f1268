#pragma once

#include <memory>

#include "patcher/api_client.h"
#include "patcher/credentials.h"
#include "patcher/http_client.h"
#include "patcher/pod_watch.h"

namespace dra_health {

// ApiClient over any transport; ApiClient::Create is this with the real one.
std::unique_ptr<ApiClient> MakeApiClient(ApiOptions options, const Credentials& credentials,
                                         std::unique_ptr<HttpClient> http, EventQueue& queue,
                                         WatchTimes times = {});

}  // namespace dra_health

#pragma once

#include <memory>

#include "base/error.h"
#include "patcher/credentials.h"
#include "patcher/http_client.h"

namespace dra_health {

// The real transport. Errors: kFatal, certificates that cannot be used.
Result<std::unique_ptr<HttpClient>> MakeHttpClient(const Credentials& credentials);

}  // namespace dra_health

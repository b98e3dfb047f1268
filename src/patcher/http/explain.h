#pragma once

#include <string>

#include "patcher/credentials.h"
#include "patcher/http_client.h"

namespace dra_health {

// Makes a sentence of what the HTTP library says when a request fails: `what` and `code` are its
// exception's, `name` is what the certificate was checked against.
HttpError ExplainFailure(const std::string& what, int code, bool headers_came,
                         const ServerAddress& server, const std::string& name);

}  // namespace dra_health

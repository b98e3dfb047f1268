#pragma once

#include <openssl/ossl_typ.h>

#include "base/error.h"
#include "patcher/credentials.h"

namespace dra_health {

// Sets `context` up as a client of the API server: which authorities it trusts, and its own
// certificate. Files are read anew, since they are rotated. Errors name the file or the kubeconfig
// key, and what OpenSSL says of it.
Result<void> SetUpTls(SSL_CTX* context, const TlsCredentials& tls);

}  // namespace dra_health

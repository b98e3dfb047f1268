#include "patcher/http/explain.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace dra_health {
namespace {

std::string ExplainTls(int code, const std::string& name) {
  const auto packed = static_cast<unsigned long>(code);
  const bool by_tls = ERR_GET_LIB(packed) == ERR_LIB_SSL;
  if (by_tls && ERR_GET_REASON(packed) != SSL_R_CERTIFICATE_VERIFY_FAILED) {
    const char* const reason = ERR_reason_error_string(packed);
    return reason == nullptr ? "the handshake failed" : reason;
  }
  // An error of another part of OpenSSL is a step of the verification.
  return "the server's certificate is not accepted; it must be for \"" + name +
         "\" and signed by the authority in the credentials";
}

}  // namespace

HttpError ExplainFailure(const std::string& what, int code, bool headers_came,
                         const ServerAddress& server, const std::string& name) {
  const std::string to = server.HostAndPort();
  if (headers_came) {
    return {HttpFault::kTruncated, "the connection ended within the answer: " + what};
  }
  if (what.starts_with("Error in SSL handshake")) {
    return {HttpFault::kConnect, "TLS with " + to + ": " + ExplainTls(code, name)};
  }
  if (what.starts_with("Error resolving") || what.starts_with("Failed to resolve")) {
    return {HttpFault::kConnect, "the name of " + to + " cannot be resolved"};
  }
  if (what.starts_with("Failed to connect")) {
    return {HttpFault::kConnect, "cannot connect to " + to + ": refused, or no way there"};
  }
  return {HttpFault::kBroken, "the connection ended before the answer came: " + what};
}

}  // namespace dra_health

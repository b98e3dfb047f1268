#include "patcher/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace dra_health {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using PrivateKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string WhatOpenSslSays() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* const reason = ERR_reason_error_string(code);
  return reason == nullptr ? "nothing usable in it" : reason;
}

tl::unexpected<Error> Unusable(const std::string& what, const TextSource& source) {
  const std::string where = source.file.empty() ? "given in the kubeconfig" : source.file.string();
  return Fail(ErrorKind::kFatal, what + " (" + where + "): " + WhatOpenSslSays());
}

Bio OpenPem(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
}

// No terminal of ours will ever answer.
int NoPassword(char*, int, int, void*) { return 0; }

Certificate NextCertificate(BIO* bio) {
  return {PEM_read_bio_X509(bio, nullptr, &NoPassword, nullptr), &X509_free};
}

Result<void> TrustAuthorities(SSL_CTX* context, const TextSource& source) {
  const Result<std::string> pem = ReadText(source);
  if (!pem) return tl::unexpected(pem.error());
  // A new store: the HTTP library has put the system's authorities into the old one, and a cluster
  // that names its own means no others.
  X509_STORE* const store = X509_STORE_new();
  SSL_CTX_set_cert_store(context, store);  // takes it
  const Bio bio = OpenPem(*pem);
  bool any = false;
  while (const Certificate certificate = NextCertificate(bio.get())) {
    any = X509_STORE_add_cert(store, certificate.get()) == 1 || any;
  }
  if (!any) return Unusable("the API server's certificate authority cannot be used", source);
  ERR_clear_error();  // the end of the file is reported as an error
  return {};
}

Result<void> UseCertificate(SSL_CTX* context, const TextSource& source) {
  const Result<std::string> pem = ReadText(source);
  if (!pem) return tl::unexpected(pem.error());
  const Bio bio = OpenPem(*pem);
  const Certificate leaf = NextCertificate(bio.get());
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return Unusable("the client certificate cannot be used", source);
  }
  while (const Certificate intermediate = NextCertificate(bio.get())) {
    SSL_CTX_add1_chain_cert(context, intermediate.get());
  }
  ERR_clear_error();
  return {};
}

Result<void> UseKey(SSL_CTX* context, const TextSource& source) {
  const Result<std::string> pem = ReadText(source);
  if (!pem) return tl::unexpected(pem.error());
  const Bio bio = OpenPem(*pem);
  const PrivateKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassword, nullptr),
                       &EVP_PKEY_free);
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return Unusable("the client key cannot be used", source);
  }
  return {};
}

}  // namespace

Result<void> SetUpTls(SSL_CTX* context, const TlsCredentials& tls) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  Result<void> done;
  if (!tls.ca.empty()) done = TrustAuthorities(context, tls.ca);
  if (done && !tls.certificate.empty()) done = UseCertificate(context, tls.certificate);
  if (done && !tls.key.empty()) done = UseKey(context, tls.key);
  return done;
}

}  // namespace dra_health

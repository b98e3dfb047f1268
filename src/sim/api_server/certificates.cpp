#include "sim/api_server/certificates.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace dra_health::sim {

namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;

constexpr long kValidSeconds = 24L * 3600;
// Not valid before an hour ago: clocks of tests may be stepped.
constexpr long kBackdatedSeconds = -3600;

struct Signer {
  X509* certificate;
  EVP_PKEY* key;
};

bool AddExtension(X509* certificate, X509* issuer, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// A certificate for `key`, signed by `signer` or, without one, by itself.
Certificate Issue(EVP_PKEY* key, const char* name, long serial, const Signer* signer,
                  int extension_id, const char* extension) {
  Certificate certificate(X509_new());
  X509* raw = certificate.get();
  X509* issuer = signer ? signer->certificate : raw;
  const bool ok =
      raw && X509_set_version(raw, 2) && ASN1_INTEGER_set(X509_get_serialNumber(raw), serial) &&
      X509_gmtime_adj(X509_getm_notBefore(raw), kBackdatedSeconds) &&
      X509_gmtime_adj(X509_getm_notAfter(raw), kValidSeconds) && X509_set_pubkey(raw, key) &&
      X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), "CN", MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(name), -1, -1, 0) &&
      X509_set_issuer_name(raw, X509_get_subject_name(issuer)) &&
      AddExtension(raw, issuer, NID_basic_constraints, signer ? "CA:FALSE" : "critical,CA:TRUE") &&
      AddExtension(raw, issuer, extension_id, extension) &&
      X509_sign(raw, signer ? signer->key : key, EVP_sha256()) > 0;
  return ok ? std::move(certificate) : nullptr;
}

std::string Contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string Pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  return bio && PEM_write_bio_X509(bio.get(), certificate) ? Contents(bio.get()) : "";
}

std::string Pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  const bool ok =
      bio && PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return ok ? Contents(bio.get()) : "";
}

}  // namespace

Result<Certificates> MakeCertificates() {
  const Key ca_key(EVP_EC_gen("P-256"));
  const Key server_key(EVP_EC_gen("P-256"));
  const Key client_key(EVP_EC_gen("P-256"));
  Certificate ca, server, client;
  if (ca_key && server_key && client_key) {
    ca = Issue(ca_key.get(), "sim-ca", 1, nullptr, NID_key_usage, "critical,keyCertSign");
  }
  if (ca) {
    const Signer signer{ca.get(), ca_key.get()};
    server = Issue(server_key.get(), "sim-api-server", 2, &signer, NID_subject_alt_name,
                   "IP:127.0.0.1,IP:::1,DNS:localhost,DNS:kubernetes.default.svc");
    client = Issue(client_key.get(), "sim-client", 3, &signer, NID_ext_key_usage, "clientAuth");
  }
  if (!server || !client) {
    return Fail(ErrorKind::kFatal, std::string("cannot make certificates for the API server: ") +
                                       ERR_error_string(ERR_get_error(), nullptr));
  }
  return Certificates{Pem(ca.get()), Pem(server.get()), Pem(server_key.get()), Pem(client.get()),
                      Pem(client_key.get())};
}

}  // namespace dra_health::sim

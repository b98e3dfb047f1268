#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

#include "tests/sim_api_server/test_client.h"

namespace dra_health::sim {

std::string ReadyzByOpenSsl(const ApiServer& server, const std::string& address) {
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                             SSL_CTX_free);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_load_verify_locations(context.get(), server.ca_file().c_str(), nullptr);
  const std::unique_ptr<BIO, void (*)(BIO*)> bio(BIO_new_ssl_connect(context.get()), BIO_free_all);
  SSL* ssl = nullptr;
  BIO_get_ssl(bio.get(), &ssl);
  X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), address.c_str());
  BIO_set_conn_hostname(bio.get(), ("[" + address + "]:" + std::to_string(server.port())).c_str());
  if (BIO_do_connect(bio.get()) != 1) return "";
  BIO_puts(bio.get(), "GET /readyz HTTP/1.1\r\nHost: sim\r\nConnection: close\r\n\r\n");
  std::string answer;
  char chunk[4096];
  for (int got = 0; (got = BIO_read(bio.get(), chunk, sizeof chunk)) > 0;) {
    answer.append(chunk, static_cast<std::size_t>(got));
  }
  return answer;
}

}  // namespace dra_health::sim

#include "observe/tls_files.h"

#include <openssl/err.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>

namespace dra_health {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

Result<std::string> ReadFile(const std::filesystem::path& file) {
  std::error_code why;
  const bool regular = std::filesystem::is_regular_file(file, why);
  if (!regular && !why) {  // a FIFO would be waited for, without an end
    return Fail(ErrorKind::kItem, "cannot read " + file.string() + ": not a regular file");
  }
  errno = 0;
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) {
    return Fail(ErrorKind::kItem, "cannot read " + file.string() + ": " + std::strerror(errno));
  }
  return text.str();
}

}  // namespace

Result<std::shared_ptr<TlsFiles>> TlsFiles::Load(std::filesystem::path certificate,
                                                 std::filesystem::path key) {
  std::shared_ptr<TlsFiles> files(new TlsFiles(std::move(certificate), std::move(key)));
  files->stamp_ = files->Stamp();
  auto server = files->Read();
  if (!server) return tl::unexpected(server.error());
  files->server_ = *std::move(server);
  return files;
}

std::shared_ptr<TlsServer> TlsFiles::Current() {
  const std::lock_guard lock(mutex_);
  std::string stamp = Stamp();
  if (stamp == stamp_) return server_;
  auto server = Read();
  if (server) {
    server_ = *std::move(server);
    stamp_ = std::move(stamp);
    told_.clear();
    spdlog::info("the certificate in {} is used from now on", certificate_.string());
  } else if (told_ != server.error().message) {
    told_ = server.error().message;
    spdlog::error("{}; going on with the last good certificate", told_);
  }
  return server_;
}

Result<std::shared_ptr<TlsServer>> TlsFiles::Read() const {
  auto certificate = ReadFile(certificate_);
  if (!certificate) return tl::unexpected(certificate.error());
  auto key = ReadFile(key_);
  if (!key) return tl::unexpected(key.error());

  auto server = std::make_shared<TlsServer>(ssl::context::tls_server);
  server->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                      ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  // No terminal of ours will ever answer.
  server->set_password_callback([](std::size_t, auto) { return std::string(); });
  error_code failed;
  if (server->use_certificate_chain(boost::asio::buffer(*certificate), failed); failed) {
    return Fail(ErrorKind::kItem, "no certificate (PEM) that can be used in " +
                                      certificate_.string() + ": " + failed.message());
  }
  // OpenSSL looks at what it is given as a chain only when a handshake needs it.
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get_extra_chain_certs_only(server->native_handle(), static_cast<void*>(&chain));
  if (chain != nullptr && SSL_CTX_set1_chain(server->native_handle(), chain) != 1) {
    failed.assign(static_cast<int>(ERR_get_error()), boost::asio::error::get_ssl_category());
    return Fail(ErrorKind::kItem, "the chain of certificates in " + certificate_.string() +
                                      " cannot be used: " + failed.message());
  }
  if (server->use_private_key(boost::asio::buffer(*key), ssl::context::pem, failed); failed) {
    return Fail(ErrorKind::kItem, "no private key (PEM, unencrypted) of the certificate in " +
                                      certificate_.string() + " in " + key_.string() + ": " +
                                      failed.message());
  }
  return server;
}

// Changes with every way to replace a file: written over, renamed over, a link set anew.
std::string TlsFiles::Stamp() const {
  std::string stamp;
  for (const auto& file : {certificate_, key_}) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) status = {};
    for (const auto part :
         {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
          static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
          static_cast<long long>(status.st_mtim.tv_nsec)}) {
      stamp += std::to_string(part) + " ";
    }
  }
  return stamp;
}

}  // namespace dra_health

#include "observe/tls_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace dra_health {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using PrivateKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Result<std::string> ReadFile(const std::filesystem::path& file) {
  errno = 0;
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) {
    return Fail(ErrorKind::kItem, "cannot read " + file.string() + ": " + std::strerror(errno));
  }
  return text.str();
}

Bio OpenPem(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
}

// No terminal of ours will ever answer.
int NoPassword(char*, int, int, void*) { return 0; }

}  // namespace

Result<std::shared_ptr<TlsFiles>> TlsFiles::Load(std::filesystem::path certificate,
                                                 std::filesystem::path key) {
  std::shared_ptr<TlsFiles> files(new TlsFiles(std::move(certificate), std::move(key)));
  files->stamp_ = files->Stamp();
  auto pair = files->Read();
  if (!pair) return tl::unexpected(pair.error());
  files->pair_ = *std::move(pair);
  return files;
}

std::shared_ptr<const TlsPair> TlsFiles::Current() {
  const std::lock_guard lock(mutex_);
  std::string stamp = Stamp();
  if (stamp == stamp_) return pair_;
  auto pair = Read();
  if (pair) {
    pair_ = *std::move(pair);
    stamp_ = std::move(stamp);
    told_.clear();
    spdlog::info("the certificate in {} is used from now on", certificate_.string());
  } else if (told_ != pair.error().message) {
    told_ = pair.error().message;
    spdlog::error("{}; going on with the last good certificate", told_);
  }
  return pair_;
}

Result<std::shared_ptr<const TlsPair>> TlsFiles::Read() const {
  auto certificate_text = ReadFile(certificate_);
  if (!certificate_text) return tl::unexpected(certificate_text.error());
  auto key_text = ReadFile(key_);
  if (!key_text) return tl::unexpected(key_text.error());

  const Bio certificate_bio = OpenPem(*certificate_text);
  const Certificate certificate(
      PEM_read_bio_X509(certificate_bio.get(), nullptr, &NoPassword, nullptr), &X509_free);
  const Bio key_bio = OpenPem(*key_text);
  const PrivateKey key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, &NoPassword, nullptr),
                       &EVP_PKEY_free);
  const bool match =
      certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!certificate) {
    return Fail(ErrorKind::kItem, "no certificate in PEM form in " + certificate_.string());
  }
  if (!key) {
    return Fail(ErrorKind::kItem, "no private key in PEM form, unencrypted, in " + key_.string());
  }
  if (!match) {
    return Fail(ErrorKind::kItem, "the key in " + key_.string() +
                                      " is not that of the certificate in " +
                                      certificate_.string());
  }
  return std::make_shared<const TlsPair>(*std::move(certificate_text), *std::move(key_text));
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

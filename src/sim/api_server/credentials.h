#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "sim/api_server/api_server.h"
#include "sim/api_server/certificates.h"

namespace dra_health::sim {

// A temporary folder with certificate files, removed at its end.
class CertificateFolder {
 public:
  // Errors: kFatal, it could not be made or written.
  static Result<CertificateFolder> Create(Certificates certificates);
  CertificateFolder(CertificateFolder&& other) noexcept;
  CertificateFolder& operator=(CertificateFolder&&) = delete;
  ~CertificateFolder();

  const Certificates& certificates() const { return certificates_; }
  std::filesystem::path ca_file() const { return path_ / "ca.crt"; }
  std::filesystem::path client_certificate_file() const { return path_ / "client.crt"; }
  std::filesystem::path client_key_file() const { return path_ / "client.key"; }

 private:
  CertificateFolder(std::filesystem::path path, Certificates certificates)
      : path_(std::move(path)), certificates_(std::move(certificates)) {}

  std::filesystem::path path_;
  Certificates certificates_;
};

struct Access {
  std::string url;
  std::string token;                      // "": none
  const CertificateFolder* certificates;  // none: no TLS
  bool client_certificate = false;
};

Result<void> WriteKubeconfigFile(const std::filesystem::path& path, const Access& access,
                                 KubeconfigForm form);
Result<void> WriteServiceAccountFolder(const std::filesystem::path& folder, const Access& access);

}  // namespace dra_health::sim

#include "sim/api_server/credentials.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include <fstream>
#include <system_error>
#include <utility>

namespace dra_health::sim {

namespace {

namespace fs = std::filesystem;

Result<void> WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Fail(ErrorKind::kFatal, "cannot write " + path.string());
  return {};
}

std::string Base64(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// "<key>: <path>" or "<key>-data: <the file's content>".
std::string Credential(const std::string& key, const fs::path& path, const std::string& content,
                       KubeconfigForm form) {
  return "    " +
         (form == KubeconfigForm::kFiles ? key + ": \"" + path.string() + "\""
                                         : key + "-data: " + Base64(content)) +
         "\n";
}

}  // namespace

Result<CertificateFolder> CertificateFolder::Create(Certificates certificates) {
  std::string pattern = (fs::temp_directory_path() / "sim-api-server-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) {
    return Fail(ErrorKind::kFatal, "cannot make a temporary folder " + pattern);
  }
  CertificateFolder folder(pattern, std::move(certificates));
  const Certificates& made = folder.certificates();
  for (const auto& [path, text] : {std::pair(folder.ca_file(), made.ca),
                                   std::pair(folder.client_certificate_file(), made.client),
                                   std::pair(folder.client_key_file(), made.client_key)}) {
    if (auto written = WriteFile(path, text); !written) return tl::unexpected(written.error());
  }
  return folder;
}

CertificateFolder::CertificateFolder(CertificateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), certificates_(std::move(other.certificates_)) {}

CertificateFolder::~CertificateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> WriteKubeconfigFile(const fs::path& path, const Access& access, KubeconfigForm form) {
  const CertificateFolder* folder = access.certificates;
  std::string text =
      "apiVersion: v1\nkind: Config\nclusters:\n- name: sim\n  cluster:\n    server: ";
  text += "\"" + access.url + "\"\n";
  if (folder) {
    text += Credential("certificate-authority", folder->ca_file(), folder->certificates().ca, form);
  }
  text += "users:\n- name: sim\n  user:\n";
  if (!access.token.empty()) text += "    token: \"" + access.token + "\"\n";
  if (folder && access.client_certificate) {
    text += Credential("client-certificate", folder->client_certificate_file(),
                       folder->certificates().client, form);
    text += Credential("client-key", folder->client_key_file(), folder->certificates().client_key,
                       form);
  }
  text +=
      "contexts:\n- name: sim\n  context:\n    cluster: sim\n    user: sim\n"
      "current-context: sim\n";
  return WriteFile(path, text);
}

Result<void> WriteServiceAccountFolder(const fs::path& folder, const Access& access) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::string name = (folder / "..sim-XXXXXX").string();
  if (error || !::mkdtemp(name.data())) {
    return Fail(ErrorKind::kFatal, "cannot make a folder " + name);
  }
  const fs::path data = name;
  const std::string ca = access.certificates ? access.certificates->certificates().ca : "";
  for (const auto& [file, text] : {std::pair("token", access.token), std::pair("ca.crt", ca),
                                   std::pair("namespace", std::string("default"))}) {
    if (auto written = WriteFile(data / file, text); !written) return written;
    if (!fs::is_symlink(folder / file)) {
      fs::create_symlink(fs::path("..data") / file, folder / file, error);
    }
  }
  // A rename over the old link: readers see the old files or the new, never none.
  fs::create_symlink(data.filename(), folder / "..data_tmp", error);
  fs::rename(folder / "..data_tmp", folder / "..data", error);
  if (error) return Fail(ErrorKind::kFatal, "cannot swap links in " + folder.string());
  return {};
}

}  // namespace dra_health::sim

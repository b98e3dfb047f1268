// A kubeconfig file.
#include <string>

#include "patcher/credentials.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

void Check(const Credentials& credentials) {
  const TlsCredentials& tls = credentials.tls;
  Require(tls.certificate.empty() == tls.key.empty(), "certificate and key come together");
  for (const TextSource* source : {&tls.ca, &tls.certificate, &tls.key, &credentials.token}) {
    Require(source->file.empty() || source->file.is_absolute(), "a file's path is absolute",
            source->file.native());
    Require(ReadText(*source).has_value(), "a file that is named can be read",
            source->file.native());
  }
  const std::string url = credentials.server.Url();
  const auto again = ParseServerAddress(url);
  Require(again && again->Url() == url, "an address stays the same", url);
}

}  // namespace

void FuzzOne(std::string_view input) {
  static const TempFolder folder;
  static const std::string file = folder / "agent.kubeconfig";
  WriteFile(file, std::string(input));
  const auto credentials = ReadKubeconfig(file);
  if (credentials) return Check(*credentials);
  Require(credentials.error().kind == ErrorKind::kFatal, "a wrong kubeconfig ends the agent");
  RequirePlaceInFile(credentials.error().message, file, input);
}

}  // namespace dra_health

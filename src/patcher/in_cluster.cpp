#include "patcher/credentials.h"

#include <cstdlib>
#include <string>

namespace dra_health {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<Credentials> InClusterCredentials(const std::string& host, const std::string& port,
                                         const std::filesystem::path& folder) {
  if (host.empty() || port.empty()) {
    return Fail(ErrorKind::kFatal,
                "no API server is known: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are "
                "not set, as they are in every pod; outside of a cluster give a kubeconfig file");
  }
  const bool ipv6 = host.find(':') != std::string::npos;
  auto server = ParseServerAddress("https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port);
  if (!server) {
    return Fail(ErrorKind::kFatal, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " +
                                       std::move(server).error());
  }
  Credentials credentials{.server = *std::move(server),
                          .tls = {.ca = {.file = folder / "ca.crt"}},
                          .token = {.file = folder / "token"}};
  for (const TextSource* source : {&credentials.token, &credentials.tls.ca}) {
    if (const Result<std::string> text = ReadText(*source); !text) {
      return Fail(
          ErrorKind::kFatal,
          text.error().message + " (a pod gets it unless automountServiceAccountToken is false)");
    }
  }
  return credentials;
}

Result<Credentials> FindCredentials(const std::filesystem::path& kubeconfig) {
  if (!kubeconfig.empty()) return ReadKubeconfig(kubeconfig);
  return InClusterCredentials(Environment("KUBERNETES_SERVICE_HOST"),
                              Environment("KUBERNETES_SERVICE_PORT"), kServiceAccountFolder);
}

}  // namespace dra_health

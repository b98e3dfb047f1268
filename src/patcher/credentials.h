#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace dra_health {

// Something that stands in a configuration itself or in a file. The file wins and is read anew each
// time: tokens and certificates are rotated under a running process.
struct TextSource {
  std::string text;
  std::filesystem::path file;

  bool empty() const { return text.empty() && file.empty(); }
};

// Errors are kFatal and say which file and why.
Result<std::string> ReadTextFile(const std::filesystem::path& file);
Result<std::string> ReadText(const TextSource& source);

struct ServerAddress {
  bool tls = true;
  std::string host;  // an IPv6 literal without its brackets
  std::uint16_t port = 443;
  std::string path;  // "" or "/prefix", as behind a proxy for several clusters

  std::string HostAndPort() const;  // [::1]:6443
  std::string Url() const;          // https://[::1]:6443/prefix
};

// Errors say what is wrong with `url` and what is allowed.
tl::expected<ServerAddress, std::string> ParseServerAddress(const std::string& url);
bool IsIpLiteral(const std::string& host);

struct TlsCredentials {
  TextSource ca;  // PEM; empty: the system's authorities
  TextSource certificate;
  TextSource key;
  std::string server_name;  // what the server's certificate is checked against; empty: the host
  bool skip_verify = false;
};

// How to reach the API server and who we are there.
struct Credentials {
  ServerAddress server;
  TlsCredentials tls;
  TextSource token;  // empty: none
};

// Reads a kubeconfig file: its current context. `exec` and other ways to run or impersonate
// something are refused: an agent on every node must not start programs that a file names.
// Errors: kFatal, with file and line, what is wrong and what is allowed.
Result<Credentials> ReadKubeconfig(const std::filesystem::path& file);

// What a kubelet gives every pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, and `folder`
// with `token` and `ca.crt`.
inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";
Result<Credentials> InClusterCredentials(const std::string& host, const std::string& port,
                                         const std::filesystem::path& folder);

// Those of the kubeconfig file, or of the pod where `kubeconfig` is empty.
Result<Credentials> FindCredentials(const std::filesystem::path& kubeconfig);

}  // namespace dra_health

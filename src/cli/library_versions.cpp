#include "cli/library_versions.h"

#include <cpprest/version.h>
#include <google/protobuf/stubs/common.h>
#include <grpcpp/version_info.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <sqlite3.h>
#include <CLI/Version.hpp>
#include <nlohmann/detail/abi_macros.hpp>

namespace dra_health {
namespace {

std::string Dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> LibraryVersions() {
  return {
      {"gRPC", GRPC_CPP_VERSION_STRING},
      {"protobuf", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)},
      {"cpprestsdk",
       Dotted(CPPREST_VERSION_MAJOR, CPPREST_VERSION_MINOR, CPPREST_VERSION_REVISION)},
      {"OpenSSL", ::OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"SQLite", ::sqlite3_libversion()},
      {"prometheus-cpp", DRA_HEALTH_PROMETHEUS_CPP_VERSION},
      {"nlohmann_json", Dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                               NLOHMANN_JSON_VERSION_PATCH)},
      {"spdlog", Dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
      {"yaml-cpp", DRA_HEALTH_YAML_CPP_VERSION},
      {"CLI11", CLI11_VERSION},
  };
}

}  // namespace dra_health

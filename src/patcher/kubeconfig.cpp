#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/binary.h>
#include <yaml-cpp/yaml.h>

#include "base/text.h"
#include "patcher/credentials.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAllowedUser =
    "allowed are token, tokenFile, client-certificate or client-certificate-data, and client-key "
    "or client-key-data";

// An empty document stands nowhere, which is the beginning.
std::string Place(const fs::path& file, const YAML::Mark& mark) {
  const int line = mark.is_null() ? 1 : mark.line + 1;
  return file.string() + ":" + std::to_string(line) + ": ";
}

// Thrown within this file only, so that reading stays a straight line.
struct Refused {
  std::string message;
};

class KubeconfigReader {
 public:
  explicit KubeconfigReader(const fs::path& file) : file_(file) {}

  Credentials Read(const std::string& text) {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) Refuse(root, "not a kubeconfig: expected a map with current-context");
    const YAML::Node context = FindContext(root);
    Credentials credentials;
    ReadCluster(Named(root, "clusters", "cluster", Text(context, "cluster"), context), credentials);
    if (const std::string user = Text(context, "user"); !user.empty()) {
      ReadUser(Named(root, "users", "user", user, context), user, credentials);
    }
    return credentials;
  }

 private:
  [[noreturn]] void Refuse(const YAML::Node& where, const std::string& what) const {
    throw Refused{Place(file_, where.Mark()) + Printable(what)};
  }

  std::string Text(const YAML::Node& map, const char* key) const {
    const YAML::Node value = map[key];
    if (!value || value.IsNull()) return "";
    if (!value.IsScalar()) Refuse(value, std::string(key) + " is not a text");
    return value.Scalar();
  }

  YAML::Node FindContext(const YAML::Node& root) const {
    const std::string current = Text(root, "current-context");
    if (current.empty()) {
      Refuse(root, "current-context is not set; allowed are " + Names(root, "contexts"));
    }
    return Named(root, "contexts", "context", current, root["current-context"]);
  }

  // The entry called `name` in a list of {name: ..., <key>: {...}}.
  YAML::Node Named(const YAML::Node& root, const char* list, const char* key,
                   const std::string& name, const YAML::Node& wanted_by) const {
    const YAML::Node entries = root[list];
    if (entries && entries.IsSequence()) {
      for (const YAML::Node& entry : entries) {
        if (!entry.IsMap() || Text(entry, "name") != name) continue;
        const YAML::Node found = entry[key];
        if (found && found.IsMap()) return found;
        Refuse(entry, std::string(key) + " \"" + name + "\" is not a map");
      }
    }
    Refuse(wanted_by, "there is no " + std::string(key) + " \"" + name + "\"; allowed are " +
                          Names(root, list));
  }

  std::string Names(const YAML::Node& root, const char* list) const {
    std::string names;
    const YAML::Node entries = root[list];
    if (entries && entries.IsSequence()) {
      for (const YAML::Node& entry : entries) {
        if (entry.IsMap()) names += (names.empty() ? "" : ", ") + Text(entry, "name");
      }
    }
    return "the names in " + std::string(list) + ": " + (names.empty() ? "(none)" : names);
  }

  // `key` names a file, relative to the kubeconfig's folder; `key`-data holds it as base64 and
  // wins.
  TextSource FileOrData(const YAML::Node& map, const std::string& key) const {
    const std::string data_key = key + "-data";
    if (const std::string data = Text(map, data_key.c_str()); !data.empty()) {
      // yaml-cpp 0.7 takes bytes beyond ASCII for negative indexes into its table.
      const bool ascii = std::ranges::all_of(data, [](unsigned char c) { return c < 0x80; });
      const auto decoded = ascii ? YAML::DecodeBase64(data) : std::vector<unsigned char>();
      if (decoded.empty()) Refuse(map[data_key], data_key + " is not base64");
      return {.text = {decoded.begin(), decoded.end()}};
    }
    const std::string file = Text(map, key.c_str());
    return file.empty() ? TextSource{} : Readable({.file = Absolute(file)}, map[key], key);
  }

  fs::path Absolute(const fs::path& file) const {
    return file.is_absolute() ? file : fs::absolute(file_).parent_path() / file;
  }

  TextSource Readable(TextSource source, const YAML::Node& where, const std::string& key) const {
    if (const Result<std::string> text = ReadText(source); !text) {
      Refuse(where, key + ": " + text.error().message);
    }
    return source;
  }

  void ReadCluster(const YAML::Node& cluster, Credentials& out) const {
    auto server = ParseServerAddress(Text(cluster, "server"));
    const YAML::Node where = cluster["server"] ? cluster["server"] : cluster;
    if (!server) Refuse(where, "server: " + server.error());
    out.server = *std::move(server);
    if (!Text(cluster, "proxy-url").empty()) {
      Refuse(cluster["proxy-url"], "proxy-url is not supported; allowed is a direct connection");
    }
    out.tls.ca = FileOrData(cluster, "certificate-authority");
    out.tls.server_name = Text(cluster, "tls-server-name");
    const std::string skip = Text(cluster, "insecure-skip-tls-verify");
    if (!skip.empty() && skip != "true" && skip != "false") {
      Refuse(cluster["insecure-skip-tls-verify"],
             "insecure-skip-tls-verify is \"" + skip + "\"; allowed are true and false");
    }
    out.tls.skip_verify = skip == "true";
  }

  void ReadUser(const YAML::Node& user, const std::string& name, Credentials& out) const {
    constexpr std::array kRefused = {"exec", "auth-provider", "username",  "password",
                                     "as",   "as-uid",        "as-groups", "as-user-extra"};
    for (const char* key : kRefused) {
      const YAML::Node value = user[key];
      if (value && !value.IsNull()) {
        Refuse(value,
               "user \"" + name + "\": " + key + " is refused; " + std::string(kAllowedUser));
      }
    }
    out.token.text = Text(user, "token");
    if (const std::string file = Text(user, "tokenFile"); !file.empty()) {
      out.token = Readable({.file = Absolute(file)}, user["tokenFile"], "tokenFile");
    }
    out.tls.certificate = FileOrData(user, "client-certificate");
    out.tls.key = FileOrData(user, "client-key");
    if (out.tls.certificate.empty() != out.tls.key.empty()) {
      Refuse(user, "user \"" + name + "\": client certificate and key belong together; " +
                       std::string(kAllowedUser));
    }
  }

  const fs::path& file_;
};

}  // namespace

Result<Credentials> ReadKubeconfig(const fs::path& file) {
  const Result<std::string> text = ReadTextFile(file);
  if (!text) return tl::unexpected(text.error());
  try {
    return KubeconfigReader(file).Read(*text);
  } catch (const Refused& refused) {
    return Fail(ErrorKind::kFatal, refused.message);
  } catch (const YAML::Exception& error) {
    return Fail(ErrorKind::kFatal, Place(file, error.mark) + "not YAML: " + Printable(error.msg));
  }
}

}  // namespace dra_health

#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dra_health {

// A short path: a socket's must fit into 107 bytes. Gone with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = "/tmp/dra-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    std::filesystem::permissions(path_, std::filesystem::perms{0755});
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace dra_health

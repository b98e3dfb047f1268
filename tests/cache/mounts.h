#pragma once

#include <filesystem>
#include <string>

namespace dra_health {

// A mount that only this process sees, gone with the object. Needs root: where the kernel refuses,
// `why_not()` says so and the test is skipped with that reason.
class Mount {
 public:
  static Mount Tmpfs(const std::filesystem::path& at, const std::string& size);
  static Mount ReadOnlyView(const std::filesystem::path& of, const std::filesystem::path& at);
  Mount(Mount&& other) noexcept;
  ~Mount();

  const std::string& why_not() const { return why_not_; }

 private:
  Mount() = default;

  std::filesystem::path at_;
  std::string why_not_;
};

// While it lives, file access of this process is that of an ordinary user, if it was root's.
class OrdinaryUser {
 public:
  OrdinaryUser();
  ~OrdinaryUser();
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  bool was_root_;
};

}  // namespace dra_health

#include "cache/broken_file.h"

#include <chrono>
#include <string>
#include <system_error>

#include "base/clock.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;

// 20261130T120000Z: no colons, which shells and archives dislike in names.
std::string TimeForName() {
  std::string text = FormatTime(SystemClock().Now().wall);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

fs::path FreeName(const fs::path& store) {
  const std::string base = store.string() + ".broken-" + TimeForName();
  std::string name = base;
  std::error_code ignored;
  for (int i = 2; fs::exists(name, ignored); ++i) name = base + "-" + std::to_string(i);
  return name;
}

}  // namespace

Result<fs::path> MoveAside(const fs::path& store) {
  fs::path target = FreeName(store);
  for (const char* suffix : {"-wal", "-shm", ""}) {
    std::error_code error;
    fs::rename(store.string() + suffix, target.string() + suffix, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      return Fail(ErrorKind::kRetry, "cannot move the broken store " + store.string() + suffix +
                                         " aside: " + error.message());
    }
  }
  return target;
}

}  // namespace dra_health

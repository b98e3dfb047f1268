#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "patcher/credentials.h"

namespace dra_health {
namespace {

constexpr std::size_t kLargestFile = 16U << 20;  // a device given by mistake ends here

}  // namespace

Result<std::string> ReadTextFile(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& why) {
    return Fail(ErrorKind::kFatal, "cannot read " + file.string() + ": " + why);
  };
  std::error_code error;
  // An ifstream opens a folder without complaint.
  if (std::filesystem::is_directory(file, error)) return fail("it is a folder");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(std::generic_category().message(errno));
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() <= kLargestFile &&
         (stream.read(part.data(), part.size()), stream.gcount() > 0)) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return fail(std::generic_category().message(errno));
  if (text.size() > kLargestFile) return fail("it is larger than 16 MiB");
  return text;
}

Result<std::string> ReadText(const TextSource& source) {
  if (source.file.empty()) return source.text;
  return ReadTextFile(source.file);
}

}  // namespace dra_health

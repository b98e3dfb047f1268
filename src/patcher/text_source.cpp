#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "patcher/credentials.h"

namespace dra_health {

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
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return fail(std::generic_category().message(errno));
  return text;
}

Result<std::string> ReadText(const TextSource& source) {
  if (source.file.empty()) return source.text;
  return ReadTextFile(source.file);
}

}  // namespace dra_health

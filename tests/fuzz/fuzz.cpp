#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace dra_health {

void Require(bool holds, std::string_view what, std::string_view about) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(about.size()), about.data());
  std::abort();
}

bool IsUtf8(const std::string& text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void RequirePrintable(const std::string& text) {
  Require(IsUtf8(text), "text is UTF-8", text);
  const auto control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
  Require(std::ranges::none_of(text, control), "text has no control characters", text);
}

void RequirePlaceInFile(const std::string& message, const std::string& file,
                        std::string_view text) {
  RequirePrintable(message);
  Require(message.starts_with(file + ":"), "a message names the file", message);
  const long line = std::strtol(message.c_str() + file.size() + 1, nullptr, 10);
  // Old Macs ended lines with CR, and YAML takes it for an end of line too.
  const auto ends = std::ranges::count_if(text, [](char c) { return c == '\n' || c == '\r'; });
  Require(line >= 1 && line <= ends + 2, "a message names a line of the file", message);
}

}  // namespace dra_health

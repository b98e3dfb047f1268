#include "cli/table_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>

namespace dra_health {
namespace {

std::optional<std::size_t> ParseWidth(const std::optional<std::string>& text) {
  std::size_t width = 0;
  if (!text) return std::nullopt;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, width);
  if (error != std::errc{} || stop != end || width == 0) return std::nullopt;
  return width;
}

std::optional<std::size_t> AskWidth(int file) {
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

Terminal DetectTerminal(
    int file, const std::function<std::optional<std::string>(const std::string&)>& environment) {
  if (::isatty(file) == 0) return {};
  Terminal terminal;
  terminal.width = ParseWidth(environment("COLUMNS"));
  if (!terminal.width) terminal.width = AskWidth(file);
  terminal.colour = environment("NO_COLOR").value_or("").empty() &&
                    environment("TERM").value_or("dumb") != "dumb";
  return terminal;
}

}  // namespace dra_health

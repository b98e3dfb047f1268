#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace dra_health {

// What may be done to a text for whoever reads it.
struct Terminal {
  std::optional<std::size_t> width;  // none: nothing is cut
  bool colour = false;
};

// Of a file descriptor: neither cut nor coloured unless it is a terminal. COLUMNS goes before what
// the terminal says; NO_COLOR (no-color.org) and TERM=dumb turn colours off.
Terminal DetectTerminal(
    int file, const std::function<std::optional<std::string>(const std::string&)>& environment);

}  // namespace dra_health

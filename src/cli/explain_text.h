#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/table_terminal.h"
#include "explain/explanation.h"

namespace dra_health {

// For people: sentences are broken, tables cut to the width of a terminal. Times in UTC.
void PrintText(const Explanation& explanation, std::ostream& out, const Terminal& terminal);

// `text` made printable and broken between words into lines of at most `width` columns, of which
// all but the first begin with `indent` blanks. Longer words stand alone.
std::string Wrapped(const std::string& text, std::optional<std::size_t> width, std::size_t indent);

}  // namespace dra_health

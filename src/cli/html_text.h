#pragma once

#include <string>
#include <string_view>

namespace dra_health {

// Any bytes as text of an HTML or SVG element, or of a quoted attribute: made printable, with
// &, <, >, " and ' as references, and without what XML does not allow.
std::string Escaped(std::string_view text);

// The same as text of an element; each time in it, as FormatTime writes it, becomes a <time> that
// the page's script translates.
std::string EscapedWithTimes(std::string_view text);

}  // namespace dra_health

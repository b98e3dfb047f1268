#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dra_health {

// Makes a driver's bytes fit for JSON, a terminal and a log line: each byte that is not part of
// valid UTF-8 becomes U+FFFD; control characters (NUL, newline, escape) become a space; ends are
// trimmed.
std::string Printable(std::string_view bytes);

// At most `limit` bytes, never inside a UTF-8 sequence; "..." marks the cut. The API server counts
// bytes (Go len), not characters. REQUIRES: valid UTF-8, limit >= 3.
std::string CutBytes(std::string text, std::size_t limit);

}  // namespace dra_health

#include "cli/html_text.h"

#include "base/rfc3339.h"
#include "base/text.h"

namespace dra_health {
namespace {

// U+FFFE and U+FFFF are Unicode, but no characters of XML.
bool IsForbidden(std::string_view text, std::size_t at) {
  const std::string_view sequence = text.substr(at, 3);
  return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

}  // namespace

std::string Escaped(std::string_view text) {
  const std::string printable = Printable(text);
  std::string escaped;
  escaped.reserve(printable.size());
  for (std::size_t i = 0; i < printable.size(); ++i) {
    switch (const char c = printable[i]; c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        if (IsForbidden(printable, i)) {
          escaped += "\uFFFD";
          i += 2;
        } else {
          escaped += c;
        }
    }
  }
  return escaped;
}

std::string EscapedWithTimes(std::string_view text) {
  constexpr std::size_t kLength = std::string_view("2026-11-30T12:00:00Z").size();
  const std::string escaped = Escaped(text);
  std::string marked;
  std::size_t i = 0;
  while (i < escaped.size()) {
    const std::string word = escaped.substr(i, kLength);
    if (word.size() == kLength && word.back() == 'Z' && ParseRfc3339(word)) {
      marked.append("<time datetime=\"").append(word).append("\">").append(word).append("</time>");
      i += kLength;
    } else {
      marked += escaped[i++];
    }
  }
  return marked;
}

}  // namespace dra_health

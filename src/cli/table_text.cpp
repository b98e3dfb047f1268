#include "cli/table_text.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>

namespace dra_health {
namespace {

// libc knows the width of every character, but only in a UTF-8 locale. This one is built into
// glibc; it is in force for this thread as long as the object lives, whatever the user's locale is.
class Utf8Locale {
 public:
  Utf8Locale() : before_(::uselocale(Shared())) {}
  ~Utf8Locale() { ::uselocale(before_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  static locale_t Shared() {
    static const locale_t kLocale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return kLocale;  // null where there is none: uselocale then changes nothing
  }

  locale_t before_;
};

struct Character {
  std::size_t bytes;
  std::size_t width;
};

Character First(std::string_view text) {
  wchar_t character = 0;
  mbstate_t state{};
  const std::size_t bytes = ::mbrtowc(&character, text.data(), text.size(), &state);
  if (bytes == 0 || bytes > text.size()) return {1, 1};  // NUL or not UTF-8: a byte as it is
  const int width = ::wcwidth(character);
  return {bytes, width < 0 ? 1U : static_cast<std::size_t>(width)};
}

// The longest beginning of at most `width` columns, in bytes, and its columns.
Character Beginning(std::string_view text, std::size_t width) {
  const Utf8Locale locale;
  Character taken{0, 0};
  while (taken.bytes < text.size()) {
    const Character next = First(text.substr(taken.bytes));
    if (taken.width + next.width > width) break;
    taken.bytes += next.bytes;
    taken.width += next.width;
  }
  return taken;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) { return Beginning(text, std::string::npos).width; }

std::string CutToWidth(std::string_view text, std::size_t width) {
  if (Beginning(text, width).bytes == text.size()) return std::string(text);
  if (width == 0) return "";
  return std::string(text.substr(0, Beginning(text, width - 1).bytes)) + "\u2026";
}

}  // namespace dra_health

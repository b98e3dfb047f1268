#include "cli/byte_size.h"

#include <array>
#include <charconv>
#include <system_error>

namespace dra_health {
namespace {

struct Unit {
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array kUnits = {
    Unit{"GiB", std::size_t{1} << 30},
    Unit{"MiB", std::size_t{1} << 20},
    Unit{"KiB", std::size_t{1} << 10},
    Unit{"", 1},
};

tl::unexpected<std::string> Wrong(std::string_view text, std::string_view what) {
  return tl::unexpected<std::string>("'" + std::string(text) + "' " + std::string(what));
}

}  // namespace

tl::expected<std::size_t, std::string> ParseByteSize(std::string_view text) {
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc::result_out_of_range) return Wrong(text, "is too large");
  if (error != std::errc{}) return Wrong(text, "is no size such as 16MiB");
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, unit.bytes, &bytes)) return Wrong(text, "is too large");
    return bytes;
  }
  return Wrong(text, "has an unknown unit; the units are KiB, MiB and GiB, none for bytes");
}

std::string FormatByteSize(std::size_t bytes) {
  std::size_t i = 0;
  while (bytes == 0 ? i + 1 < kUnits.size() : bytes % kUnits[i].bytes != 0) ++i;
  return std::to_string(bytes / kUnits[i].bytes) + std::string(kUnits[i].name);
}

}  // namespace dra_health

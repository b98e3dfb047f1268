#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "base/duration.h"

namespace dra_health {

// How one kind of value is read from text and written back, and what it may be.
template <typename Value>
struct Kind {
  std::string name;     // "DURATION"
  std::string allowed;  // completes "allowed: "
  // The error says what is wrong with the text.
  std::function<tl::expected<Value, std::string>(std::string_view)> parse;
  std::function<std::string(const Value&)> print;  // parses back to the same value
};

// Durations from `least` to `most` that are a multiple of `step`.
Kind<std::chrono::nanoseconds> NanosecondsKind(std::chrono::nanoseconds least,
                                               std::chrono::nanoseconds most,
                                               std::chrono::nanoseconds step);

// The same in the unit in which the value is kept.
template <typename Duration>
Kind<Duration> DurationKind(Duration least, Duration most) {
  auto fine = NanosecondsKind(least, most, Duration{1});
  auto parse = [inner = fine.parse](std::string_view text) {
    return inner(text).map(
        [](std::chrono::nanoseconds value) { return std::chrono::duration_cast<Duration>(value); });
  };
  return {fine.name, fine.allowed, std::move(parse), FormatDuration};
}

Kind<std::size_t> CountKind(std::size_t least, std::size_t most);
Kind<std::size_t> SizeKind(std::size_t least, std::size_t most);
Kind<std::filesystem::path> PathKind();
// A DNS-1123 subdomain. Nodes' names are in lower case, drivers' need not be.
enum class Letters { kLowerCase, kAnyCase };
Kind<std::string> DnsNameKind(std::size_t longest, Letters letters);

// "a, b or c".
std::string AnyOf(const std::vector<std::string>& words);

// One word for each value.
template <typename Value>
Kind<Value> WordKind(std::string name, const std::vector<std::pair<std::string, Value>>& words) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  auto parse = [words](std::string_view text) -> tl::expected<Value, std::string> {
    for (const auto& [word, value] : words) {
      if (word == text) return value;
    }
    return tl::unexpected("'" + std::string(text) + "' is none of the words for it");
  };
  auto print = [words](const Value& wanted) -> std::string {
    for (const auto& [word, value] : words) {
      if (value == wanted) return word;
    }
    return "";
  };
  return {std::move(name), AnyOf(names), std::move(parse), std::move(print)};
}

}  // namespace dra_health

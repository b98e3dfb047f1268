#pragma once

#include <optional>
#include <string_view>

namespace dra_health {

// Look-ups in a table of (value, name) pairs, for enums that are stored and shown by name.

template <typename Names, typename Value>
constexpr std::string_view NameOf(const Names& names, Value value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "";
}

template <typename Value, typename Names>
constexpr std::optional<Value> ValueOf(const Names& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace dra_health

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "cli/value_kind.h"

namespace dra_health {

// One value of a `Target` that people can set by text: the only place where its name, its limits
// and its meaning are written. Flags, environment, file, help and reference page follow from it.
template <typename Target>
struct Setting {
  std::string name;     // as the flag has it, without dashes: "node-name"
  std::string kind;     // "DURATION"
  std::string allowed;  // completes "allowed: "
  std::string help;
  // The error says what is wrong with the text, without its place.
  std::function<tl::expected<void, std::string>(Target&, std::string_view)> set;
  std::function<std::string(const Target&)> show;  // parses back; "" where nothing is set

  std::string unset;        // the default in words, where a fresh Target shows none
  std::string environment;  // the variable's name, where it does not follow from `name`
  bool in_file = true;      // may stand in the configuration file

  Setting Unset(std::string words) && {
    unset = std::move(words);
    return std::move(*this);
  }
  Setting Environment(std::string variable) && {
    environment = std::move(variable);
    return std::move(*this);
  }
  Setting NotInFile() && {
    in_file = false;
    return std::move(*this);
  }
};

namespace setting_internal {

template <typename Value>
std::string Print(const Kind<Value>& kind, const Value& value) {
  return kind.print(value);
}
template <typename Value>
std::string Print(const Kind<Value>& kind, const std::optional<Value>& value) {
  return value ? kind.print(*value) : "";
}

}  // namespace setting_internal

// `field` is a generic lambda from a (const) target to its value: [](auto& t) -> auto& {...}.
template <typename Target, typename Value, typename Field>
Setting<Target> MakeSetting(std::string name, const Kind<Value>& kind, Field field,
                            std::string help) {
  auto set = [kind, field](Target& target, std::string_view text) {
    return kind.parse(text).map([&](Value value) { field(target) = std::move(value); });
  };
  auto show = [kind, field](const Target& target) {
    return setting_internal::Print(kind, field(target));
  };
  return {std::move(name), kind.name,      kind.allowed,
          std::move(help), std::move(set), std::move(show)};
}

std::string FlagName(std::string_view name);         // "--node-name"
std::string KeyName(std::string_view name);          // "nodeName"
std::string EnvironmentName(std::string_view name);  // "DRA_HEALTH_NODE_NAME"

template <typename Target>
std::string EnvironmentName(const Setting<Target>& setting) {
  return setting.environment.empty() ? EnvironmentName(setting.name) : setting.environment;
}

// What holds when nobody sets it, in words for people.
template <typename Target>
std::string DefaultText(const Setting<Target>& setting) {
  const std::string shown = setting.show(Target{});
  return shown.empty() ? setting.unset : shown;
}

}  // namespace dra_health

#include "sim/api_server/field_selector.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace dra_health::sim {

namespace {

constexpr std::array<std::string_view, 4> kFields = {"metadata.name", "metadata.namespace",
                                                     "spec.nodeName", "status.phase"};

std::string FieldOf(const Json& object, const std::string& field) {
  const std::size_t dot = field.find('.');
  return Text(Member(object, field.substr(0, dot)), field.substr(dot + 1));
}

}  // namespace

std::optional<FieldSelector> FieldSelector::Parse(const std::string& text) {
  FieldSelector selector;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t sign = part.find('=');
    if (sign == std::string::npos || sign == 0) return std::nullopt;
    Term term;
    term.equal = part[sign - 1] != '!';
    term.field = part.substr(0, term.equal ? sign : sign - 1);
    term.value = part.substr(part[sign + 1] == '=' ? sign + 2 : sign + 1);
    if (std::find(kFields.begin(), kFields.end(), term.field) == kFields.end()) return std::nullopt;
    selector.terms_.push_back(std::move(term));
  }
  return selector;
}

bool FieldSelector::Matches(const Json& object) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return (FieldOf(object, term.field) == term.value) == term.equal;
  });
}

}  // namespace dra_health::sim

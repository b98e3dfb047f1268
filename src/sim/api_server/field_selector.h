#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api_server/json.h"

namespace dra_health::sim {

// "spec.nodeName=a,metadata.name!=b". A plain value.
class FieldSelector {
 public:
  // None if it is malformed or has a field that the API does not select by.
  static std::optional<FieldSelector> Parse(const std::string& text);
  bool Matches(const Json& object) const;

 private:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;
  };
  std::vector<Term> terms_;
};

}  // namespace dra_health::sim

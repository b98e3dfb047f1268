#include "sim/api_server/json.h"

namespace dra_health::sim {

const Json& Member(const Json& object, std::string_view key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string Text(const Json& object, std::string_view key) {
  const Json& member = Member(object, key);
  return member.is_string() ? member.get<std::string>() : std::string();
}

std::string MetadataText(const Json& object, std::string_view key) {
  return Text(Member(object, "metadata"), key);
}

}  // namespace dra_health::sim

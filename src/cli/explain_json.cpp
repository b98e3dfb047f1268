#include "cli/explain_json.h"

#include <nlohmann/json.hpp>

namespace dra_health {
namespace {

using Json = nlohmann::ordered_json;

Json Convert(const Verdict& verdict) {
  return {{"finding", ToString(verdict.finding)}, {"sentence", verdict.sentence}};
}

Json Convert(const Fact& fact) { return {{"name", fact.name}, {"value", fact.value}}; }

Json Convert(const LastOfDevice& device) {
  return {{"name", device.name},
          {"held", device.held},
          {"health", device.health ? Json(ToString(*device.health)) : Json()},
          {"text", device.text}};
}

Json Convert(const Span& span) {
  return {{"from", FormatTimeMillis(span.from)},
          {"to", FormatTimeMillis(span.to)},
          {"state", ToString(span.state)},
          {"text", span.text}};
}

Json Convert(const TimelineMoment& moment) {
  Json json = {{"at", FormatTimeMillis(moment.at)},
               {"kind", ToString(moment.kind)},
               {"subject", moment.subject},
               {"text", moment.text}};
  if (moment.health) json["health"] = ToString(*moment.health);
  if (moment.kind == MomentKind::kEnded) json["failed"] = moment.bad;
  return json;
}

Json Convert(const Lane& lane);

template <typename Part>
Json Array(const std::vector<Part>& parts) {
  Json array = Json::array();
  for (const Part& part : parts) array.push_back(Convert(part));
  return array;
}

Json Convert(const Lane& lane) {
  return {{"kind", ToString(lane.kind)},
          {"name", lane.name},
          {"detail", lane.detail},
          {"spans", Array(lane.spans)}};
}

}  // namespace

std::string ToJson(const Explanation& explanation) {
  const Json json = {
      {"title", explanation.title},
      {"verdict", Convert(explanation.verdict)},
      {"earlier", Array(explanation.earlier)},
      {"facts", Array(explanation.facts)},
      {"devices", Array(explanation.devices)},
      {"notes", explanation.notes},
      {"from", FormatTimeMillis(explanation.from)},
      {"to", FormatTimeMillis(explanation.to)},
      {"lanes", Array(explanation.lanes)},
      {"moments", Array(explanation.moments)},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dra_health

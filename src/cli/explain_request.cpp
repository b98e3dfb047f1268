#include "cli/explain_request.h"

#include <optional>

namespace dra_health {
namespace {

std::optional<ExplainFormat> ParseFormat(std::string_view text) {
  if (text == "text") return ExplainFormat::kText;
  if (text == "json") return ExplainFormat::kJson;
  if (text == "html") return ExplainFormat::kHtml;
  return std::nullopt;
}

tl::unexpected<WrongValue> Wrong(const char* option, const std::string& value, const char* what,
                                 std::string_view allowed) {
  return tl::unexpected<WrongValue>(
      WrongValue{option, "'" + value + "' " + what + "; allowed: " + std::string(allowed)});
}

}  // namespace

tl::expected<ExplainRequest, WrongValue> ParseExplainRequest(ExplainTopic topic,
                                                             const ExplainArguments& arguments) {
  ExplainRequest request{.topic = topic, .store = arguments.store, .pool = arguments.pool};
  if (arguments.format) {
    const auto format = ParseFormat(*arguments.format);
    if (!format) {
      return Wrong("--output", *arguments.format, "is no format", kAllowedExplainFormats);
    }
    request.format = *format;
  }
  const std::string& name = arguments.name;
  if (topic == ExplainTopic::kDevice) {
    if (name.empty()) return Wrong("DEVICE", name, "is no device", kAllowedDevices);
    request.device = name;
    return request;
  }
  const auto slash = name.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == name.size() ||
      name.find('/', slash + 1) != std::string::npos) {
    return Wrong("POD", name, "is no pod", kAllowedExplainedPods);
  }
  request.pod = {name.substr(0, slash), name.substr(slash + 1), arguments.uid};
  return request;
}

}  // namespace dra_health

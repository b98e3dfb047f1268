#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "cache/history.h"
#include "cli/cache_request.h"

namespace dra_health {

enum class ExplainTopic { kPod, kDevice };

enum class ExplainFormat { kText, kJson, kHtml };

// What `dra-health-agent explain TOPIC NAME` was asked for.
struct ExplainRequest {
  ExplainTopic topic = ExplainTopic::kPod;
  std::filesystem::path store;
  ExplainFormat format = ExplainFormat::kText;
  PodName pod;
  std::string device;
  std::optional<std::string> pool;  // of the device, where its name leaves that open
};

// As typed.
struct ExplainArguments {
  std::string store;
  std::string name;
  std::optional<std::string> format;
  std::optional<std::string> uid;
  std::optional<std::string> pool;
};

inline constexpr std::string_view kAllowedExplainFormats = "text, json or html";
inline constexpr std::string_view kAllowedExplainedPods = "NAMESPACE/NAME";

tl::expected<ExplainRequest, WrongValue> ParseExplainRequest(ExplainTopic topic,
                                                             const ExplainArguments& arguments);

}  // namespace dra_health

#include "patcher/json_node.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace dra_health {
namespace {

using nlohmann::json;

const json* OrNull(const json& value) { return value.is_null() ? nullptr : &value; }

}  // namespace

JsonNode::JsonNode(const json& document, std::string& problem)
    : JsonNode(OrNull(document), "", &problem) {}

JsonNode::JsonNode(const json* value, std::string path, std::string* problem)
    : value_(value), path_(std::move(path)), problem_(problem) {}

JsonNode JsonNode::operator[](const char* key) const {
  std::string path = path_.empty() ? key : path_ + "." + key;
  if (value_ == nullptr || !Is(value_->is_object(), "an object")) {
    return {nullptr, std::move(path), problem_};
  }
  const auto found = value_->find(key);
  return {found == value_->end() ? nullptr : OrNull(*found), std::move(path), problem_};
}

std::vector<JsonNode> JsonNode::Items() const {
  std::vector<JsonNode> items;
  if (value_ == nullptr || !Is(value_->is_array(), "a list")) return items;
  items.reserve(value_->size());
  for (const json& item : *value_) {
    std::string path = path_ + "[" + std::to_string(items.size()) + "]";
    items.push_back({OrNull(item), std::move(path), problem_});
  }
  return items;
}

std::string JsonNode::Text() const {
  if (value_ == nullptr || !Is(value_->is_string(), "a string")) return "";
  return value_->get_ref<const std::string&>();
}

std::int64_t JsonNode::Integer() const {
  if (value_ == nullptr || !Is(value_->is_number_integer(), "a whole number")) return 0;
  return value_->get<std::int64_t>();
}

std::string JsonNode::RequiredText() const {
  std::string text = Text();
  if (text.empty()) Note(path_ + " is missing or empty");
  return text;
}

bool JsonNode::Is(bool right_type, const char* wanted) const {
  if (!right_type) {
    Note((path_.empty() ? "the document" : path_) + " is of type " + value_->type_name() +
         ", expected " + wanted);
  }
  return right_type;
}

void JsonNode::Note(const std::string& text) const {
  if (problem_->empty()) *problem_ = text;
}

bool IsWorthKeeping(int depth, bool is_key, const json& parsed) {
  constexpr int kMaxDepth = 64;
  return is_key ? parsed != "managedFields" : depth <= kMaxDepth;
}

json ParseJson(std::string_view text) {
  const auto keep = [](int depth, json::parse_event_t event, json& parsed) {
    return IsWorthKeeping(depth, event == json::parse_event_t::key, parsed);
  };
  return json::parse(text, keep, /*allow_exceptions=*/false);
}

}  // namespace dra_health

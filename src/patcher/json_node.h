#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace dra_health {

// A value in a JSON document that somebody else wrote. Absent fields and nulls read as empty; a
// value of the wrong type reads as empty too and is noted in `problem` with its path, the first one
// only, so that a reader is written without a check at each field and asks once at its end.
// Nothing here throws. The document and `problem` must outlive the node.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& document, std::string& problem);

  bool exists() const { return value_ != nullptr; }
  const nlohmann::json* value() const { return value_; }

  JsonNode operator[](const char* key) const;
  std::vector<JsonNode> Items() const;
  std::string Text() const;
  std::int64_t Integer() const;
  // As Text, but an empty or absent one is a problem.
  std::string RequiredText() const;

 private:
  JsonNode(const nlohmann::json* value, std::string path, std::string* problem);
  bool Is(bool right_type, const char* wanted) const;
  void Note(const std::string& text) const;

  const nlohmann::json* value_;  // never a JSON null
  std::string path_;
  std::string* problem_;
};

// What of a document is worth keeping: not metadata.managedFields, half of a typical object, and
// nothing nested deeper than any object of Kubernetes, since writing JSON recurses. For
// nlohmann's parser callback.
bool IsWorthKeeping(int depth, bool is_key, const nlohmann::json& parsed);

// Parses without exceptions what is worth keeping. Discarded (is_discarded) when `text` is not
// JSON.
nlohmann::json ParseJson(std::string_view text);

}  // namespace dra_health

#include "patcher/pod_stream.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "patcher/json_node.h"
#include "patcher/pod_reader.h"

namespace dra_health {
namespace {

using nlohmann::json;

// Called by the parser at each step; returning false drops what was just parsed.
class ItemTaker {
 public:
  explicit ItemTaker(PodList& list) : list_(list) {}

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    constexpr int kItemDepth = 2;  // {"items": [ {
    const bool is_key = event == json::parse_event_t::key;
    if (is_key && depth == 1) in_items_ = parsed == "items";
    if (!in_items_ || depth != kItemDepth || event != json::parse_event_t::object_end) {
      return IsWorthKeeping(depth, is_key, parsed);
    }
    Result<std::shared_ptr<const Pod>> pod = ReadPod(parsed);
    if (pod) {
      list_.pods.push_back(*std::move(pod));
    } else {
      list_.unreadable.push_back(std::move(pod).error().message);
    }
    return false;
  }

 private:
  PodList& list_;
  bool in_items_ = false;
};

}  // namespace

Result<PodList> ReadPodList(std::string_view text) {
  PodList list;
  const json rest = json::parse(text, ItemTaker(list), /*allow_exceptions=*/false);
  if (rest.is_discarded()) return Fail(ErrorKind::kRetry, "a body that is not JSON");
  std::string problem;
  const JsonNode root(rest, problem);
  list.resource_version = root["metadata"]["resourceVersion"].RequiredText();
  if (!problem.empty()) return Fail(ErrorKind::kRetry, "not a list of pods: " + problem);
  return list;
}

Result<WatchEvent> ReadWatchLine(std::string_view line) {
  const json document = ParseJson(line);
  if (document.is_discarded()) return Fail(ErrorKind::kRetry, "a line that is not JSON");
  std::string problem;
  const JsonNode root(document, problem);
  const std::string type = root["type"].Text();
  const JsonNode object = root["object"];
  WatchEvent event;
  if (type == "ERROR") {
    const auto status = object.exists() ? ReadApiStatus(object.value()->dump()) : std::nullopt;
    event.what = watch::ServerError{status.value_or(ApiStatus{.message = "no reason given"})};
    return event;
  }
  event.resource_version = object["metadata"]["resourceVersion"].Text();
  if (type == "BOOKMARK") {
    event.what = watch::Bookmark{};
  } else if (type == "DELETED") {
    event.what = watch::Deleted{object["metadata"]["uid"].RequiredText()};
    if (!problem.empty()) event.what = watch::Unreadable{"a deleted pod: " + problem};
  } else if (type == "ADDED" || type == "MODIFIED") {
    if (!object.exists()) return Fail(ErrorKind::kRetry, "an event without an object");
    Result<std::shared_ptr<const Pod>> pod = ReadPod(*object.value());
    if (pod) {
      event.what = watch::Changed{*std::move(pod)};
    } else {
      event.what = watch::Unreadable{std::move(pod).error().message};
    }
  } else {
    return Fail(ErrorKind::kRetry, "a line that is not a watch event");
  }
  return event;
}

}  // namespace dra_health

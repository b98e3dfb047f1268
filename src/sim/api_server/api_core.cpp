#include "sim/api_server/api_core.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "sim/api_server/json_patch.h"
#include "sim/api_server/status_answer.h"

namespace dra_health::sim {

namespace {

constexpr const char* kPatchType = "application/json-patch+json";

ApiResponse Plain(int status, std::string body) {
  ApiResponse answer;
  answer.status = status;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = std::move(body);
  return answer;
}

ApiResponse Ok(const Json& body) {
  ApiResponse answer;
  answer.body = body.dump();
  return answer;
}

// The paths outside the API groups.
ApiResponse AnswerOther(const std::string& path) {
  if (path == "/version") {
    return Ok({{"major", "1"}, {"minor", "37"}, {"gitVersion", "v1.37.2"}, {"platform", "sim"}});
  }
  if (path == "/readyz" || path == "/livez" || path == "/healthz") return Plain(200, "ok");
  return Plain(404, "404 page not found\n");
}

// Open to everybody on a real server too (system:public-info-viewer).
bool IsPublic(const std::string& path) {
  return path == "/version" || path == "/readyz" || path == "/livez" || path == "/healthz";
}

std::optional<std::int64_t> ParseNumber(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

const char* ListKind(Kind kind) {
  switch (kind) {
    case Kind::kNode:
      return "NodeList";
    case Kind::kPod:
      return "PodList";
    case Kind::kClaim:
      return "ResourceClaimList";
  }
  return "";
}

std::string KindOf(const Route& route) {
  return route.resource.substr(0, route.resource.find('/'));
}

ApiResponse BadSelector(const ApiRequest& request) {
  return BadRequest("Unable to find or parse the field selector \"" +
                    QueryValue(request.query, "fieldSelector") + "\"");
}

// The content type without its parameters.
std::string MediaType(const std::string& content_type) {
  std::string type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type;
}

}  // namespace

ApiResponse ApiCore::Handle(const ApiRequest& request) {
  const Route route = ParseRoute(request.method, request.path, request.query);
  const std::optional<Fault> fault = faults_.Take(route.verb, request.target);
  if (fault) {
    if (auto answer = AnswerOf(*fault, route)) return std::move(*answer);
  }
  std::optional<FaultKind> watch_fault;
  if (fault && BreaksWatches(fault->kind)) watch_fault = fault->kind;
  ApiResponse answer = Answer(request, route, watch_fault);
  if (fault) {
    answer.delivery = DeliveryOf(fault->kind);
    answer.interval = fault->interval;
  }
  return answer;
}

ApiResponse ApiCore::Answer(const ApiRequest& request, const Route& route,
                            std::optional<FaultKind> watch_fault) {
  if (!Authorized(request)) return Unauthorized();
  if (route.resource.empty()) return AnswerOther(request.path);
  if (route.verb == "get") return Get(route);
  if (route.verb == "list") return List(request, route);
  if (route.verb == "watch") return Watch(request, route, watch_fault);
  if (route.verb == "patch" && route.resource == "pods/status") return PatchStatus(request, route);
  return Failure(405, "MethodNotAllowed",
                 "the server does not allow this method on the requested resource", Json::object());
}

bool ApiCore::Authorized(const ApiRequest& request) const {
  if (tokens_.empty() || (!request.token && IsPublic(request.path))) return true;
  return request.token &&
         std::find(tokens_.begin(), tokens_.end(), *request.token) != tokens_.end();
}

ApiResponse ApiCore::Get(const Route& route) const {
  const ObjectPtr object = store_.Get({route.kind, route.namespace_name, route.name});
  return object ? Ok(*object) : NotFound(KindOf(route), route.name);
}

ApiResponse ApiCore::List(const ApiRequest& request, const Route& route) const {
  const auto selector = FieldSelector::Parse(QueryValue(request.query, "fieldSelector"));
  if (!selector) return BadSelector(request);
  const std::string version = QueryValue(request.query, "resourceVersion");
  const auto wanted = ParseNumber(version.empty() ? "0" : version);
  if (!wanted) return BadRequest("invalid resource version \"" + version + "\"");
  if (*wanted > store_.version()) {
    return Failure(504, "Timeout",
                   "Timeout: Too large resource version: " + version +
                       ", current: " + std::to_string(store_.version()),
                   {{"retryAfterSeconds", 1}});
  }
  Json items = Json::array();
  for (const ObjectPtr& object : store_.List(route.kind, route.namespace_name)) {
    if (!selector->Matches(*object)) continue;
    // Items of a list carry no type: the list says it.
    Json item = *object;
    item.erase("kind");
    item.erase("apiVersion");
    items.push_back(std::move(item));
  }
  return Ok({{"kind", ListKind(route.kind)},
             {"apiVersion", route.kind == Kind::kClaim ? "resource.k8s.io/v1" : "v1"},
             {"metadata", {{"resourceVersion", std::to_string(store_.version())}}},
             {"items", std::move(items)}});
}

ApiResponse ApiCore::Watch(const ApiRequest& request, const Route& route,
                           std::optional<FaultKind> fault) const {
  auto selector = FieldSelector::Parse(QueryValue(request.query, "fieldSelector"));
  if (!selector) return BadSelector(request);
  const std::string version = QueryValue(request.query, "resourceVersion");
  const auto from = ParseNumber(version.empty() ? "0" : version);
  if (!from) return BadRequest("invalid resource version \"" + version + "\"");
  WatchOptions options;
  options.kind = route.kind;
  options.namespace_name = route.namespace_name;
  options.selector = std::move(*selector);
  if (*from > 0) options.from = from;
  options.bookmarks = QueryFlag(request.query, "allowWatchBookmarks");
  options.timeout =
      std::chrono::seconds(ParseNumber(QueryValue(request.query, "timeoutSeconds")).value_or(0));
  ApiResponse answer;
  answer.watch = std::make_unique<WatchStream>(std::move(options), fault);
  return answer;
}

ApiResponse ApiCore::PatchStatus(const ApiRequest& request, const Route& route) {
  if (MediaType(request.content_type) != kPatchType) {
    return Failure(415, "UnsupportedMediaType",
                   "the body of the request was in an unknown format - accepted media types "
                   "include: application/json-patch+json");
  }
  const ObjectId id{Kind::kPod, route.namespace_name, route.name};
  const ObjectPtr old = store_.Get(id);
  if (!old) return NotFound("pods", route.name);
  auto patched = ApplyPatch(*old, request.body);
  if (!patched) return std::move(patched.error());
  auto updated = UpdatedPod(*old, *patched, Writer::kClient, rules_);
  if (!updated) return std::move(updated.error());
  return Ok(*store_.Update(id, std::move(*updated)));
}

bool ApiCore::WriteAsNode(const std::string& namespace_name, const std::string& name,
                          const std::function<Json(Json)>& change) {
  const ObjectId id{Kind::kPod, namespace_name, name};
  const ObjectPtr old = store_.Get(id);
  if (!old) return false;
  auto updated = UpdatedPod(*old, change(*old), Writer::kNode, rules_);
  if (!updated) return false;
  store_.Update(id, std::move(*updated));
  return true;
}

}  // namespace dra_health::sim

// What a watch of pods sends: lines of it, or a list. A pod must be read alike in both.
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "patcher/pod_stream.h"
#include "tests/fuzz/fuzz.h"

namespace dra_health {
namespace {

using nlohmann::json;

std::string Names(const Pod& pod) {
  std::string names = pod.uid + " " + pod.namespace_name + "/" + pod.name;
  for (const Container& container : pod.containers) names += " " + container.name;
  for (const ContainerStatus& status : pod.statuses) {
    names += " " + status.name;
    for (const ResourceStatus& entry : status.claim_entries) names += " " + entry.name;
  }
  return names;
}

void CheckEvent(const WatchEvent& event) {
  if (const auto* changed = std::get_if<watch::Changed>(&event.what)) {
    const Pod& pod = *changed->pod;
    Require(!pod.uid.empty() && !pod.namespace_name.empty() && !pod.name.empty(),
            "a pod has a name");
    for (const ContainerStatus& status : pod.statuses) {
      Require(!status.name.empty(), "a container status has a name");
    }
  } else if (const auto* deleted = std::get_if<watch::Deleted>(&event.what)) {
    Require(!deleted->uid.empty(), "a deleted pod has a UID");
  } else if (const auto* unreadable = std::get_if<watch::Unreadable>(&event.what)) {
    Require(!unreadable->why.empty(), "what cannot be read has a reason");
  }
}

void CheckBothWays(const json& object) {
  const auto event = ReadWatchLine(json{{"type", "MODIFIED"}, {"object", object}}.dump());
  const auto list = ReadPodList(
      json{{"metadata", {{"resourceVersion", "1"}}}, {"items", json::array({object})}}.dump());
  Require(event.has_value() && list.has_value(), "both can be read");
  const auto* changed = std::get_if<watch::Changed>(&event->what);
  Require(list->pods.size() == (changed == nullptr ? 0U : 1U), "a pod is read alike",
          object.dump());
  Require(list->pods.size() + list->unreadable.size() == 1, "no pod is passed over", object.dump());
  if (changed == nullptr) return;
  Require(Names(*list->pods.front()) == Names(*changed->pod), "a pod is the same", object.dump());
}

}  // namespace

void FuzzOne(std::string_view input) {
  if (const auto event = ReadWatchLine(input)) CheckEvent(*event);
  if (const auto list = ReadPodList(input)) {
    Require(!list->resource_version.empty(), "a list says where to go on");
  }
  const json document = json::parse(input, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return;
  const auto object = document.find("object");
  if (object != document.end() && object->is_object()) CheckBothWays(*object);
}

}  // namespace dra_health

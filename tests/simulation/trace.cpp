#include "trace.h"

#include <string_view>

namespace dra_health {
namespace {

std::string Field(const std::vector<ResourceStatus>& entries) {
  std::string text = "{";
  for (const ResourceStatus& entry : entries) {
    for (const ResourceHealth& resource : entry.resources) {
      text += " " + resource.resource_id + "=" + std::string(ToString(resource.health));
    }
  }
  return text + " }";
}

std::string Condition(const std::optional<ConditionStatus>& condition) {
  return condition ? std::string(ToString(condition->summary)) : "none";
}

struct Describer {
  static std::string Id(PluginId id) { return " plugin " + std::to_string(id); }

  std::string operator()(const event::PluginRegistered& e) const {
    return "registered" + Id(e.id) + " of " + e.driver;
  }
  std::string operator()(const event::PluginDeregistered& e) const {
    return "deregistered" + Id(e.id);
  }
  std::string operator()(const event::StreamOpened& e) const { return "opened" + Id(e.id); }
  std::string operator()(const event::StreamEnded& e) const { return "ended" + Id(e.id); }
  std::string operator()(const event::ReportReceived& e) const {
    std::string text = "report" + Id(e.id) + ":";
    for (const DeviceReport& device : e.devices) {
      text += " " + device.device + "=" + std::string(ToString(device.health));
    }
    return text;
  }
  std::string operator()(const event::CdiIdsRead&) const { return "CDI IDs"; }
  std::string operator()(const event::PodsListed& e) const {
    return "listed " + std::to_string(e.pods.size()) + " pods";
  }
  std::string operator()(const event::PodChanged& e) const {
    std::optional<ConditionStatus> condition;
    if (e.pod->condition) condition = e.pod->condition->status;
    return "pod " + e.pod->name + " " + e.pod->uid + " version " + e.pod->resource_version +
           (e.pod->ended ? " ended " : " ") + Field(e.pod->statuses[0].claim_entries) +
           " condition " + Condition(condition);
  }
  std::string operator()(const event::PodDeleted& e) const { return "deleted " + e.uid; }
  std::string operator()(const event::ApiReconnected&) const { return "reconnected"; }
  std::string operator()(const event::ClaimRead& e) const {
    return "claim " + e.name + (e.claim ? "" : ": " + e.claim.error().message);
  }
  std::string operator()(const event::PodRead& e) const { return "read " + e.uid; }
  std::string operator()(const event::PatchDone& e) const {
    return "patched " + e.uid + " outcome " + std::to_string(static_cast<int>(e.outcome));
  }
  std::string operator()(const event::Tick&) const { return "tick"; }

  std::string operator()(const effect::OpenStream& e) const { return "-> open" + Id(e.id); }
  std::string operator()(const effect::CloseStream& e) const { return "-> close" + Id(e.id); }
  std::string operator()(const effect::ReadCdiIds&) const { return "-> read CDI IDs"; }
  std::string operator()(const effect::ReadClaim& e) const { return "-> read claim " + e.name; }
  std::string operator()(const effect::ReadPod& e) const { return "-> read pod " + e.uid; }
  std::string operator()(const effect::Patch& e) const {
    std::string text = "-> patch " + e.patch.pod->uid;
    for (const auto& container : e.patch.want.containers) text += " " + Field(container.entries);
    return text + " condition " + Condition(e.patch.want.condition);
  }
  std::string operator()(const effect::Published&) const { return "-> published"; }
  std::string operator()(const effect::Notice& e) const { return "-> says: " + e.text; }
};

}  // namespace

std::string Describe(const Event& event) { return std::visit(Describer{}, event); }
std::string Describe(const Effect& effect) { return std::visit(Describer{}, effect); }

}  // namespace dra_health

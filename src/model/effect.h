#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "model/event.h"
#include "model/publication.h"
#include "model/record.h"

namespace dra_health {

namespace effect {

// Open a health stream to the plugin. Ends with exactly one StreamEnded, also after CloseStream.
struct OpenStream {
  PluginId id = 0;
  std::string driver;
  std::string endpoint;
  std::string service;  // "v1.DRAResourceHealth" or "v1alpha1.DRAResourceHealth"
};

struct CloseStream {
  PluginId id = 0;
};

// Ask the kubelet for the CDI IDs of devices. Answered by exactly one CdiIdsRead.
struct ReadCdiIds {};

struct ReadClaim {
  std::string namespace_name;
  std::string name;
  std::string pod_uid;  // for whom: a namesake of the pod may hold another claim of this name
};

struct ReadPod {
  std::string namespace_name;
  std::string name;
  std::string uid;
};

// Answered by exactly one PatchDone.
struct Patch {
  PodPatch patch;
};

// A change of a device's health is on a pod that holds it: how long that took, for those who watch.
struct Published {
  std::chrono::nanoseconds latency{0};
};

enum class Severity { kInfo, kWarning, kError };

// Something an operator should read, said once per occurrence.
struct Notice {
  Severity severity = Severity::kInfo;
  std::string text;
};

}  // namespace effect

using Effect =
    std::variant<effect::OpenStream, effect::CloseStream, effect::ReadCdiIds, effect::ReadClaim,
                 effect::ReadPod, effect::Patch, effect::Published, effect::Notice>;

// What one event leads to. `writes` are committed in one transaction before any effect is carried
// out: nothing is published that is not durable.
struct Effects {
  std::vector<StoreWrite> writes;
  std::vector<Effect> effects;
};

}  // namespace dra_health

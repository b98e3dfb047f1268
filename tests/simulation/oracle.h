#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/device.h"
#include "model/event.h"
#include "model/record.h"
#include "model/settings.h"

namespace dra_health {

// What the rules of the health model say of each device, written down a second time and as plainly
// as possible: a device is what the authoritative endpoint last said of it, for as long as its
// lease lasts. See docs/architecture.md.
class Oracle {
 public:
  // Of the agent that runs now.
  void Configure(const Settings& settings) { settings_ = &settings; }

  void Registered(PluginId id, const std::string& driver);
  void Deregistered(PluginId id);
  void StreamEnded(PluginId id);
  // Returns whether it counts.
  bool Reported(PluginId id, const std::vector<DeviceReport>& devices, BootTime now);
  // All that is known now is what the store says: `stored`, of the same boot or of another.
  void Restarted(const StoredState& stored, bool same_boot, BootTime now);

  // nullopt: nobody has ever spoken of it.
  std::optional<Health> HealthOf(const DeviceKey& key, BootTime now) const;
  bool Expired(const DeviceKey& key, BootTime now) const;
  // A device of which something else was told; what was never told is Unknown.
  std::optional<DeviceKey> Differs(const std::map<DeviceKey, Health>& told, BootTime now) const;

 private:
  struct Endpoint {
    std::string driver;
    bool delivered = false;
  };
  struct Device {
    Health health = Health::kUnknown;
    BootTime until;
  };

  const Settings* settings_ = nullptr;
  std::map<PluginId, Endpoint> endpoints_;
  std::map<DeviceKey, Device> devices_;
};

}  // namespace dra_health

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/effect.h"
#include "model/event.h"
#include "model/record.h"
#include "model/settings.h"
#include "reconciler/field_difference.h"

namespace dra_health {

// The CDI IDs of allocated devices, which only the kubelet knows: asked for when a device is
// allocated, because another claim can give it another ID, some times more while the kubelet
// prepares the claim, and then not again, because a device need not have one. Pure; one thread.
class CdiTable {
 public:
  explicit CdiTable(const Settings& settings) : settings_(settings) {}

  void Restore(const CdiIdRecord& record) { Learn(record); }
  // `anew`: not only seen again after a restart of the agent.
  void Allocated(const DeviceKey& key, bool anew, BootTime now);
  // Returns the devices whose ID is news.
  std::vector<DeviceKey> Handle(const event::CdiIdsRead& event, BootTime now, Effects& effects);

  void Tick(BootTime now, Effects& effects);
  BootTime NextDeadline() const { return asking_ ? BootTime::max() : due_; }

  // How the device is called in the field.
  std::string ResourceIdOf(const DeviceKey& key) const;
  const CdiNames& names() const { return names_; }

 private:
  // Whether IDs matter: to write them, or to read a kubelet's.
  bool wanted() const {
    return settings_.resource_id == ResourceIdForm::kCdi ||
           settings_.publish != PublishMode::kAlways;
  }
  bool Learn(const CdiIdRecord& record);

  const Settings& settings_;
  std::map<DeviceKey, std::string> ids_;
  CdiNames names_;
  std::map<DeviceKey, std::size_t> missing_;  // and how often it was asked for
  bool asking_ = false;
  BootTime due_ = BootTime::max();
};

}  // namespace dra_health

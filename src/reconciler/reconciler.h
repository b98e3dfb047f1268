#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "model/effect.h"
#include "model/event.h"
#include "model/record.h"
#include "model/settings.h"
#include "model/summary.h"
#include "reconciler/device_table.h"
#include "reconciler/driver_table.h"
#include "reconciler/pod_table.h"

namespace dra_health {

// The heart of the agent: a pure function of its state and one event. It reads no clock and does no
// I/O; what is to be done comes back as Effects, so every rule of the health model is a unit test.
// The same seed and the same events give the same effects. One thread.
class Reconciler {
 public:
  Reconciler(Settings settings, std::string boot_id, std::uint64_t seed);
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;

  // REQUIRES: first, once; `stored` is empty on a first start.
  Effects Restore(const StoredState& stored, Moment now);

  Effects Handle(const Event& event, Moment now);

  // When to hand in event::Tick at the latest; an earlier or an extra one does no harm.
  BootTime NextDeadline() const;

  // Walks over all that is known: for scrapes, not for every event.
  Summary Summarize(BootTime now) const;

 private:
  void On(const event::PluginRegistered& event, Moment now, Effects& effects);
  void On(const event::PluginDeregistered& event, Moment now, Effects& effects);
  void On(const event::StreamOpened& event, Moment now, Effects& effects);
  void On(const event::ReportReceived& event, Moment now, Effects& effects);
  void On(const event::StreamEnded& event, Moment now, Effects& effects);
  void On(const event::Tick& event, Moment now, Effects& effects);
  // All others are about pods.
  template <typename PodEvent>
  void On(const PodEvent& event, Moment now, Effects& effects) {
    pods_.Handle(event, now, effects);
  }

  void Adopt(DeviceChanges changes, Moment now, Effects& effects);
  void Alive(Moment now, Effects& effects);

  const Settings settings_;
  const std::string boot_id_;
  DeviceTable devices_;
  DriverTable drivers_;
  PodTable pods_;
  BootTime next_alive_;
  BootTime next_forget_;
  std::set<std::string> limited_;  // drivers whose reports are over a limit: said once
};

}  // namespace dra_health

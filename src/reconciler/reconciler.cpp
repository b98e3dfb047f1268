#include "reconciler/reconciler.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dra_health {
namespace {

// How stale the time of the last sign of life may be: it shortens leases after a restart by as
// much, and costs one row in as much.
constexpr std::chrono::seconds kAliveInterval{10};
constexpr std::chrono::hours kForgetInterval{1};
// A shorter silence between two agents may be the first one's interval alone.
constexpr std::chrono::seconds kLeastAbsence = 2 * kAliveInterval;

}  // namespace

Reconciler::Reconciler(Settings settings, std::string boot_id, std::uint64_t seed)
    : settings_(std::move(settings)),
      boot_id_(std::move(boot_id)),
      devices_(settings_),
      drivers_(settings_, seed),
      pods_(settings_, seed, devices_, drivers_) {}

Effects Reconciler::Restore(const StoredState& stored, Moment now) {
  Effects effects;
  const bool same_boot = stored.alive && stored.alive->boot_id == boot_id_;
  const BootTime alive = stored.alive ? std::min(stored.alive->boot, now.boot) : now.boot;
  DeviceChanges changes;
  for (const DeviceRecord& record : stored.devices) {
    devices_.Restore(record, same_boot ? std::optional(alive) : std::nullopt, now, changes);
  }
  Adopt(std::move(changes), now, effects);
  for (const DriverRecord& record : stored.drivers) drivers_.Restore(record, now, effects);
  pods_.Restore(stored, now);
  if (stored.alive && now.wall - stored.alive->wall > kLeastAbsence) {
    effects.writes.emplace_back(AbsenceRecord{stored.alive->wall, now.wall});
  }
  next_forget_ = now.boot + kForgetInterval;
  Alive(now, effects);
  return effects;
}

Effects Reconciler::Handle(const Event& event, Moment now) {
  Effects effects;
  std::visit([&](const auto& happened) { On(happened, now, effects); }, event);
  pods_.Settle(now, effects);
  return effects;
}

BootTime Reconciler::NextDeadline() const {
  return std::min(
      {next_alive_, devices_.NextDeadline(), drivers_.NextDeadline(), pods_.NextDeadline()});
}

Summary Reconciler::Summarize(BootTime now) const {
  Summary summary;
  summary.drivers = drivers_.Summarize();
  const auto awaited = [&](const DeviceKey& key) {
    return drivers_.OfferOf(key.driver) != DriverTable::Offer::kNo &&
           (!drivers_.IsGone(key.driver) || pods_.InUse(key));
  };
  for (auto& [driver, devices] : devices_.Summarize(now, awaited)) {
    summary.drivers[driver].devices = std::move(devices);
  }
  summary.pods = pods_.Summarize();
  return summary;
}

void Reconciler::On(const event::PluginRegistered& event, Moment now, Effects& effects) {
  limited_.erase(event.driver);
  const auto outcome = drivers_.Handle(event, now, effects);
  if (outcome.offer_changed) pods_.DriverChanged(outcome.driver, now, effects);
}

void Reconciler::On(const event::PluginDeregistered& event, Moment now, Effects& effects) {
  const auto outcome = drivers_.Handle(event, now, effects);
  if (outcome.offer_changed) pods_.DriverChanged(outcome.driver, now, effects);
}

void Reconciler::On(const event::StreamOpened& event, Moment now, Effects& effects) {
  drivers_.Handle(event, now, effects);
}

void Reconciler::On(const event::ReportReceived& event, Moment now, Effects& effects) {
  const auto outcome = drivers_.Handle(event, now, effects);
  if (!outcome.accepted) return;
  DeviceChanges changes;
  const auto result =
      devices_.Report(outcome.driver, outcome.endpoint, event.devices, now, changes);
  Adopt(std::move(changes), now, effects);
  const std::size_t lost = event.dropped + result.refused;
  if (lost > 0 && limited_.insert(outcome.driver).second) {
    effects.effects.emplace_back(effect::Notice{
        effect::Severity::kWarning,
        "driver " + outcome.driver + " reported " + std::to_string(lost) +
            " devices without a name or beyond the limit of " +
            std::to_string(settings_.max_devices_per_driver) + "; they are left out"});
  }
}

void Reconciler::On(const event::StreamEnded& event, Moment now, Effects& effects) {
  const auto outcome = drivers_.Handle(event, now, effects);
  if (outcome.offer_changed) pods_.DriverChanged(outcome.driver, now, effects);
}

void Reconciler::On(const event::Tick&, Moment now, Effects& effects) {
  drivers_.Tick(now, effects);
  DeviceChanges changes;
  devices_.Expire(now, [&](const std::string& driver) { return drivers_.IsGone(driver); }, changes);
  if (now.boot >= next_forget_) {
    next_forget_ = now.boot + kForgetInterval;
    devices_.Forget(now.boot, [&](const DeviceKey& key) { return pods_.InUse(key); }, changes);
  }
  Adopt(std::move(changes), now, effects);
  if (now.boot >= next_alive_) Alive(now, effects);
}

void Reconciler::Adopt(DeviceChanges changes, Moment now, Effects& effects) {
  for (const StoreWrite& write : changes.writes) {
    const auto* transition = std::get_if<Transition>(&write);
    if (transition != nullptr) pods_.HealthTurned(transition->key, now.boot);
  }
  std::ranges::move(changes.writes, std::back_inserter(effects.writes));
  pods_.DevicesChanged(changes.changed, now);
}

void Reconciler::Alive(Moment now, Effects& effects) {
  next_alive_ = now.boot + kAliveInterval;
  effects.writes.emplace_back(AliveRecord{boot_id_, now.boot, now.wall});
}

}  // namespace dra_health

#include "reconciler/driver_table.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

namespace dra_health {
namespace {

// A local socket costs little to try; a driver that is back should be heard within a second or two.
constexpr BackoffLimits kStreamBackoff{std::chrono::milliseconds{100},
                                       std::chrono::milliseconds{2000}};
// A stream that lived this long was a working one: the next failure starts the backoff anew.
constexpr std::chrono::seconds kWorkingStream{10};

// An attempt at a peer that does not speak gRPC ends before this. A Go server sends its headers
// with the first message only, so a stream that is older is open though nothing has come yet.
constexpr std::chrono::seconds kSurelyOpen{10};

constexpr std::array kHealthServices = {"v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"};

std::vector<std::string> HealthServices(const std::vector<std::string>& advertised, bool probe) {
  std::vector<std::string> services;
  for (const char* service : kHealthServices) {
    if (std::ranges::find(advertised, service) != advertised.end()) services.emplace_back(service);
  }
  // Drivers written for kubelets before 1.37 answer the service without advertising it.
  if (services.empty() && probe) services.assign(kHealthServices.begin(), kHealthServices.end());
  return services;
}

void Say(Effects& effects, effect::Severity severity, std::string text) {
  effects.effects.emplace_back(effect::Notice{severity, std::move(text)});
}

}  // namespace

void DriverTable::Restore(const DriverRecord& record, Moment now, Effects& effects) {
  Driver& driver = drivers_[record.name];
  driver.record = record;
  driver.stored_error = record.last_error;
  Refresh(driver, now, effects);
}

DriverTable::Outcome DriverTable::Handle(const event::PluginRegistered& event, Moment now,
                                         Effects& effects) {
  Driver& driver = drivers_[event.driver];
  const DriverSettings& wanted = settings_.ForDriver(event.driver);
  driver.record.name = event.driver;
  if (!driver.first_seen) driver.first_seen = now.boot;

  Endpoint endpoint(event.endpoint, Backoff(kStreamBackoff, seed_ + event.id));
  if (wanted.watch) endpoint.services = HealthServices(event.services, wanted.probe);
  if (endpoint.services.empty()) endpoint.stream = Stream::kFinal;
  driver.endpoints.insert_or_assign(event.id, std::move(endpoint));
  owners_[event.id] = event.driver;

  const bool final = driver.endpoints.at(event.id).stream == Stream::kFinal;
  Say(effects, effect::Severity::kInfo,
      "driver " + event.driver + " registered, endpoint " + event.endpoint +
          (!wanted.watch ? ", turned off in the configuration"
           : final       ? ", it offers no health service"
                         : ""));
  if (!final) Open(driver, event.id, now, effects);
  return {event.driver, event.endpoint, false, Refresh(driver, now, effects)};
}

DriverTable::Outcome DriverTable::Handle(const event::PluginDeregistered& event, Moment now,
                                         Effects& effects) {
  const auto [driver, found] = Find(event.id);
  if (driver == nullptr) return {};
  Endpoint& endpoint = *found;
  Outcome outcome{driver->record.name, endpoint.path};
  const bool was_authoritative = Authoritative(*driver) == event.id;
  const bool streaming = endpoint.stream == Stream::kOpening || endpoint.stream == Stream::kOpen;
  if (streaming) {
    endpoint.registered = false;  // removed when its stream has ended
    effects.effects.emplace_back(effect::CloseStream{event.id});
  } else {
    Remove(*driver, event.id);
  }
  if (was_authoritative) TakeOver(*driver, effects);
  if (IsGone(driver->record.name)) {
    Say(effects, effect::Severity::kInfo,
        "driver " + driver->record.name + " is not registered any more");
  }
  outcome.offer_changed = Refresh(*driver, now, effects);
  return outcome;
}

DriverTable::Outcome DriverTable::Handle(const event::StreamOpened& event, Moment now,
                                         Effects& effects) {
  const auto [driver, found] = Find(event.id);
  if (driver == nullptr) return {};
  Endpoint& endpoint = *found;
  if (endpoint.stream != Stream::kOpen) ++driver->record.streams_opened;
  endpoint.stream = Stream::kOpen;
  return {driver->record.name, endpoint.path, false, Refresh(*driver, now, effects)};
}

DriverTable::Outcome DriverTable::Handle(const event::ReportReceived& event, Moment now,
                                         Effects& effects) {
  const auto [driver, found] = Find(event.id);
  if (driver == nullptr) return {};
  Endpoint& endpoint = *found;
  if (!endpoint.registered) return {driver->record.name, endpoint.path};
  if (endpoint.stream != Stream::kOpen) Handle(event::StreamOpened{event.id}, now, effects);
  // An empty report says nothing about a device, so it proves no authority either.
  if (!event.devices.empty()) endpoint.delivered = true;
  if (endpoint.delivered && !endpoint.announced) {
    endpoint.announced = true;
    Say(effects, effect::Severity::kInfo,
        "driver " + driver->record.name + " reports health at " + endpoint.path + " (" +
            endpoint.services[endpoint.service] + "), " + std::to_string(event.devices.size()) +
            " devices in its first report");
  }
  Outcome outcome{driver->record.name, endpoint.path};
  outcome.accepted = Authoritative(*driver) == event.id;
  outcome.offer_changed = Refresh(*driver, now, effects);
  return outcome;
}

DriverTable::Outcome DriverTable::Handle(const event::StreamEnded& event, Moment now,
                                         Effects& effects) {
  const auto [driver, found] = Find(event.id);
  if (driver == nullptr) return {};
  Endpoint& endpoint = *found;
  Outcome outcome{driver->record.name, endpoint.path};
  const bool was_authoritative = Authoritative(*driver) == event.id;
  const bool was_open = endpoint.stream == Stream::kOpen;
  endpoint.delivered = false;
  endpoint.stream = Stream::kClosed;

  if (!endpoint.registered) {
    Remove(*driver, event.id);
  } else if (event.unimplemented) {
    if (++endpoint.service < endpoint.services.size()) {
      Open(*driver, event.id, now, effects);
    } else {
      // Final until the driver registers again: a kubelet of 1.36 asks every 5 s for ever
      // (#141855).
      endpoint.stream = Stream::kFinal;
      driver->record.last_error = event.why;
      Say(effects, effect::Severity::kWarning,
          "driver " + driver->record.name + " does not implement the health service (" + event.why +
              "); it is not asked again until it registers anew");
    }
  } else if (std::exchange(endpoint.reopen, false)) {
    Open(*driver, event.id, now, effects);
  } else {
    if (was_open) ++driver->record.streams_ended;
    if (now.boot - endpoint.opened >= kWorkingStream) {
      endpoint.backoff.Reset();
      driver->said.clear();
    }
    endpoint.retry_at = now.boot + endpoint.backoff.Next();
    driver->record.last_error = event.why;
    // A driver that dies every few seconds gets one line, not one a death.
    if (driver->said != event.why) {
      driver->said = event.why;
      Say(effects, effect::Severity::kWarning,
          "health stream to driver " + driver->record.name + " at " + endpoint.path +
              " ended, retrying: " + event.why);
    }
  }
  if (was_authoritative) TakeOver(*driver, effects);
  outcome.offer_changed = Refresh(*driver, now, effects);
  return outcome;
}

void DriverTable::Tick(Moment now, Effects& effects) {
  for (auto& [name, driver] : drivers_) {
    for (auto& [id, endpoint] : driver.endpoints) {
      if (endpoint.stream == Stream::kClosed && endpoint.retry_at &&
          *endpoint.retry_at <= now.boot) {
        Open(driver, id, now, effects);
      } else if (endpoint.stream == Stream::kOpening && endpoint.opened + kSurelyOpen <= now.boot) {
        Handle(event::StreamOpened{id}, now, effects);
      }
    }
  }
}

BootTime DriverTable::NextDeadline() const {
  BootTime next = BootTime::max();
  for (const auto& [name, driver] : drivers_) {
    for (const auto& [id, endpoint] : driver.endpoints) {
      if (endpoint.stream == Stream::kClosed && endpoint.retry_at) {
        next = std::min(next, *endpoint.retry_at);
      } else if (endpoint.stream == Stream::kOpening) {
        next = std::min(next, endpoint.opened + kSurelyOpen);
      }
    }
  }
  return next;
}

std::map<std::string, DriverSummary> DriverTable::Summarize() const {
  std::map<std::string, DriverSummary> drivers;
  for (const auto& [name, driver] : drivers_) {
    drivers[name] = {
        driver.record.state, driver.record.streams_opened, driver.record.streams_ended, {}};
  }
  return drivers;
}

bool DriverTable::IsGone(const std::string& driver) const {
  const auto found = drivers_.find(driver);
  return found == drivers_.end() ||
         std::ranges::none_of(found->second.endpoints | std::views::values,
                              [](const Endpoint& endpoint) { return endpoint.registered; });
}

DriverTable::Offer DriverTable::OfferOf(const std::string& driver) const {
  const auto found = drivers_.find(driver);
  if (found == drivers_.end()) return Offer::kNotKnown;
  return found->second.record.offers_health() ? Offer::kYes : Offer::kNo;
}

std::optional<BootTime> DriverTable::FirstSeen(const std::string& driver) const {
  const auto found = drivers_.find(driver);
  return found == drivers_.end() ? std::nullopt : found->second.first_seen;
}

DriverTable::Place DriverTable::Find(PluginId id) {
  const auto owner = owners_.find(id);
  if (owner == owners_.end()) return {};
  Driver& driver = drivers_.at(owner->second);
  return {&driver, &driver.endpoints.at(id)};
}

void DriverTable::Remove(Driver& driver, PluginId id) {
  driver.endpoints.erase(id);
  owners_.erase(id);
}

void DriverTable::Open(Driver& driver, PluginId id, Moment now, Effects& effects) {
  Endpoint& endpoint = driver.endpoints.at(id);
  endpoint.stream = Stream::kOpening;
  endpoint.opened = now.boot;
  endpoint.retry_at.reset();
  effects.effects.emplace_back(effect::OpenStream{id, driver.record.name, endpoint.path,
                                                  endpoint.services[endpoint.service]});
}

void DriverTable::TakeOver(Driver& driver, Effects& effects) {
  const auto heir = Authoritative(driver);
  if (!heir) return;
  driver.endpoints.at(*heir).reopen = true;
  effects.effects.emplace_back(effect::CloseStream{*heir});
}

bool DriverTable::Refresh(Driver& driver, Moment now, Effects& effects) {
  DriverRecord& record = driver.record;
  // The endpoint to show: the authoritative one, else the newest that is registered.
  const Endpoint* shown = nullptr;
  for (const auto& [id, endpoint] : driver.endpoints) {
    if (endpoint.registered) shown = &endpoint;
  }
  if (const auto id = Authoritative(driver)) shown = &driver.endpoints.at(*id);

  const DriverRecord before = record;
  if (!settings_.ForDriver(record.name).watch) {
    record.state = DriverState::kOff;
  } else if (shown == nullptr) {
    // What a driver without the service left behind is not "gone health".
    if (record.state != DriverState::kUnsupported) record.state = DriverState::kGone;
  } else if (shown->stream == Stream::kFinal) {
    record.state = DriverState::kUnsupported;
  } else if (shown->stream == Stream::kOpen) {
    record.state = shown->delivered ? DriverState::kStreaming : DriverState::kNoData;
  } else {
    record.state = DriverState::kConnecting;
  }
  if (shown != nullptr) {
    record.endpoint = shown->path;
    record.service = shown->service < shown->services.size() ? shown->services[shown->service] : "";
  }
  const bool moved = record.state != before.state || before.since == WallTime{};
  if (moved) record.since = now.wall;
  if (moved || record.endpoint != before.endpoint || record.service != before.service ||
      record.last_error != driver.stored_error) {
    driver.stored_error = record.last_error;
    effects.writes.emplace_back(record);
  }
  return record.offers_health() != before.offers_health() || before.since == WallTime{};
}

std::optional<PluginId> DriverTable::Authoritative(const Driver& driver) {
  for (const auto& [id, endpoint] : driver.endpoints | std::views::reverse) {
    if (endpoint.registered && endpoint.stream == Stream::kOpen && endpoint.delivered) return id;
  }
  return std::nullopt;
}

}  // namespace dra_health

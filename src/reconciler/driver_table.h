#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "model/effect.h"
#include "model/event.h"
#include "model/record.h"
#include "model/settings.h"
#include "model/summary.h"

namespace dra_health {

// The drivers of the node, their endpoints and the state of their streams.
//
// One stream per endpoint. Of several endpoints of a driver (a rolling update) one is
// authoritative: the newest registered whose open stream has delivered a report; what the others
// say changes nothing while it lives (kubernetes/kubernetes#140818). The end of a stream is not
// news about a device: leases go on. Pure; one thread.
class DriverTable {
 public:
  DriverTable(const Settings& settings, std::uint64_t seed) : settings_(settings), seed_(seed) {}

  // A driver of an earlier run: it is remembered whether it offered health, it is gone until it
  // registers again.
  void Restore(const DriverRecord& record, Moment now, Effects& effects);

  // What an event meant for the driver it came from.
  struct Outcome {
    std::string driver;
    std::string endpoint;
    bool accepted = false;       // a report: it is from the authoritative endpoint
    bool offer_changed = false;  // the driver began or ceased to offer health
  };
  Outcome Handle(const event::PluginRegistered& event, Moment now, Effects& effects);
  Outcome Handle(const event::PluginDeregistered& event, Moment now, Effects& effects);
  Outcome Handle(const event::StreamOpened& event, Moment now, Effects& effects);
  Outcome Handle(const event::ReportReceived& event, Moment now, Effects& effects);
  Outcome Handle(const event::StreamEnded& event, Moment now, Effects& effects);

  // Reopens the streams whose backoff is over.
  void Tick(Moment now, Effects& effects);
  BootTime NextDeadline() const;

  // All but the devices, by name.
  std::map<std::string, DriverSummary> Summarize() const;

  bool IsGone(const std::string& driver) const;  // no endpoint is registered
  enum class Offer { kYes, kNo, kNotKnown };     // kNotKnown: never seen
  Offer OfferOf(const std::string& driver) const;
  // When the driver was first seen registered in this run; none: not yet.
  std::optional<BootTime> FirstSeen(const std::string& driver) const;

 private:
  enum class Stream { kClosed, kOpening, kOpen, kFinal };
  struct Endpoint {
    Endpoint(std::string socket, Backoff retry) : path(std::move(socket)), backoff(retry) {}

    std::string path;
    std::vector<std::string> services;  // health services to try, the preferred first
    std::size_t service = 0;
    Stream stream = Stream::kClosed;
    bool registered = true;  // false: only waiting for its stream to end
    bool delivered = false;  // a report on this stream
    bool announced = false;  // a report at all: said in the log
    bool reopen = false;     // we end the stream, to open it again at once
    BootTime opened;
    std::optional<BootTime> retry_at;
    Backoff backoff;
  };
  struct Driver {
    DriverRecord record;
    std::map<PluginId, Endpoint> endpoints;
    std::optional<BootTime> first_seen;
    std::string said;          // the error that the log has already told
    std::string stored_error;  // record.last_error as last written
  };

  struct Place {
    Driver* driver = nullptr;
    Endpoint* endpoint = nullptr;
  };
  Place Find(PluginId id);  // nullptrs: not known, or not any more
  void Remove(Driver& driver, PluginId id);
  void Open(Driver& driver, PluginId id, Moment now, Effects& effects);
  // The authoritative endpoint died: the next newest takes its place. What that one said meanwhile
  // was ignored, and a driver may speak only when something changes: a new stream makes it say all
  // again.
  void TakeOver(Driver& driver, Effects& effects);
  // Brings the driver's record up to date with its endpoints, and stores it if it changed.
  // Returns whether what it offers changed.
  bool Refresh(Driver& driver, Moment now, Effects& effects);
  static std::optional<PluginId> Authoritative(const Driver& driver);

  const Settings& settings_;
  std::uint64_t seed_;
  std::map<std::string, Driver> drivers_;
  std::map<PluginId, std::string> owners_;  // which driver an endpoint belongs to
};

}  // namespace dra_health

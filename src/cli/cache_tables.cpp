#include "cli/cache_tables.h"

#include <algorithm>
#include <set>

#include "cli/cache_time.h"

namespace dra_health {
namespace {

using Cut = Table::Cut;

Cell Text(std::string text) { return {std::move(text)}; }
Cell Number(std::int64_t number) { return {std::to_string(number)}; }

// A dash keeps columns apart for eyes and for awk.
Cell OrDash(std::string text) { return {text.empty() ? "-" : std::move(text)}; }

Cell HealthCell(Health health) {
  const Colour colour = health == Health::kUnhealthy ? Colour::kRed
                        : health == Health::kUnknown ? Colour::kYellow
                                                     : Colour::kGreen;
  return {std::string(ToString(health)), colour};
}

Cell OptionalHealthCell(const std::optional<Health>& health) {
  return health ? HealthCell(*health) : Text("-");
}

Cell TimeOrDash(const std::optional<WallTime>& time) {
  return OrDash(time ? FormatTime(*time) : "");
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const auto& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

std::string HoldersOf(const DeviceView& device) {
  std::vector<std::string> holders = device.pods;
  for (const std::string& pod : device.ended_pods) holders.push_back(pod + " (ended)");
  return Joined(holders);
}

// Why it is Unknown is worth more than what the driver last said.
Cell Explained(UnknownReason reason, const std::string& message) {
  std::string text(ToString(reason));
  if (!text.empty() && !message.empty()) text += ": ";
  return OrDash(text + message);
}

// Not gone, over, or gone from the API server.
std::string StateOf(const PodRecord& pod) {
  if (pod.deleted) return "Deleted";
  return pod.ended ? "Ended" : "Present";
}

std::string DevicesOf(const PodView& pod) {
  std::set<std::string> devices;  // one device can be allocated twice, under two shares
  for (const auto& allocation : pod.allocations) devices.insert(ResourceId(allocation.key));
  return Joined({devices.begin(), devices.end()});
}

}  // namespace

Table ToTable(const std::vector<DeviceView>& devices, bool wide, WallTime now) {
  using View = DeviceView;
  return MakeTable<View>(
      {
          {{"DRIVER", Cut::kFirst}, false, [](const View& v) { return Text(v.record.key.driver); }},
          {{"POOL", Cut::kFirst}, false, [](const View& v) { return Text(v.record.key.pool); }},
          {{"DEVICE"}, false, [](const View& v) { return Text(v.record.key.device); }},
          {{"HEALTH"}, false, [](const View& v) { return HealthCell(v.record.health.health); }},
          {{"SINCE"}, false, [](const View& v) { return Text(FormatTime(v.record.health.since)); }},
          {{"AGE"},
           true,
           [now](const View& v) { return Text(FormatAge(v.record.health.since, now)); }},
          {{"LEASE"},
           true,
           [](const View& v) { return Text(std::to_string(v.record.lease.count()) + "s"); }},
          {{"POD", Cut::kFirst}, false, [](const View& v) { return OrDash(HoldersOf(v)); }},
          {{"MESSAGE", Cut::kFirst},
           false,
           [](const View& v) {
             return Explained(v.record.health.reason, v.record.health.message);
           }},
      },
      devices, wide);
}

Table ToTable(const std::vector<DriverRecord>& drivers, bool wide, WallTime now) {
  using Record = DriverRecord;
  return MakeTable<Record>(
      {
          {{"DRIVER"}, false, [](const Record& r) { return Text(r.name); }},
          {{"STATE"}, false, [](const Record& r) { return Text(std::string(ToString(r.state))); }},
          {{"SINCE"}, false, [](const Record& r) { return Text(FormatTime(r.since)); }},
          {{"AGE"}, true, [now](const Record& r) { return Text(FormatAge(r.since, now)); }},
          {{"STREAMS"}, false, [](const Record& r) { return Number(r.streams_opened); }},
          {{"FLAPS"}, false, [](const Record& r) { return Number(r.streams_ended); }},
          {{"SERVICE"}, true, [](const Record& r) { return OrDash(r.service); }},
          {{"ENDPOINT"}, true, [](const Record& r) { return OrDash(r.endpoint); }},
          {{"LAST ERROR", Cut::kFirst},
           false,
           [](const Record& r) { return OrDash(r.last_error); }},
      },
      drivers, wide);
}

Table ToTable(const std::vector<PodView>& pods, bool wide, WallTime now) {
  using View = PodView;
  return MakeTable<View>(
      {
          {{"NAMESPACE", Cut::kFirst},
           false,
           [](const View& v) { return Text(v.record.namespace_name); }},
          {{"NAME"}, false, [](const View& v) { return Text(v.record.name); }},
          {{"STATE"}, false, [](const View& v) { return Text(StateOf(v.record)); }},
          {{"HEALTH"}, false, [](const View& v) { return OptionalHealthCell(v.record.condition); }},
          {{"FIELD"},
           false,
           [](const View& v) { return Text(std::string(ToString(v.record.field))); }},
          {{"SEEN"}, true, [](const View& v) { return Text(FormatTime(v.record.first_seen)); }},
          {{"AGE"},
           true,
           [now](const View& v) { return Text(FormatAge(v.record.first_seen, now)); }},
          {{"PUBLISHED"}, true, [](const View& v) { return TimeOrDash(v.record.last_published); }},
          {{"ENDED"}, true, [](const View& v) { return TimeOrDash(v.record.ended); }},
          {{"DELETED"}, true, [](const View& v) { return TimeOrDash(v.record.deleted); }},
          {{"UID"}, true, [](const View& v) { return Text(v.record.uid); }},
          {{"DEVICES", Cut::kFirst}, false, [](const View& v) { return OrDash(DevicesOf(v)); }},
          {{"MESSAGE", Cut::kFirst}, true, [](const View& v) { return OrDash(v.record.message); }},
          {{"LAST ERROR", Cut::kFirst},
           true,
           [](const View& v) { return OrDash(v.record.last_error); }},
      },
      pods, wide);
}

Table ToTable(const std::vector<Transition>& transitions, bool wide, WallTime now) {
  using Record = Transition;
  return MakeTable<Record>(
      {
          {{"TIME"},
           false,
           [wide](const Record& r) {
             return Text(wide ? FormatTimeMillis(r.at) : FormatTime(r.at));
           }},
          {{"AGE"}, true, [now](const Record& r) { return Text(FormatAge(r.at, now)); }},
          {{"DRIVER", Cut::kFirst}, false, [](const Record& r) { return Text(r.key.driver); }},
          {{"POOL", Cut::kFirst}, false, [](const Record& r) { return Text(r.key.pool); }},
          {{"DEVICE"}, false, [](const Record& r) { return Text(r.key.device); }},
          {{"FROM"}, false, [](const Record& r) { return HealthCell(r.from); }},
          {{"TO"}, false, [](const Record& r) { return HealthCell(r.to); }},
          {{"ENDPOINT"}, true, [](const Record& r) { return OrDash(r.endpoint); }},
          {{"MESSAGE", Cut::kFirst},
           false,
           [](const Record& r) { return Explained(r.reason, r.message); }},
      },
      transitions, wide);
}

Table ToTable(const std::vector<DifferenceView>& differences, bool wide, WallTime now) {
  using View = DifferenceView;
  return MakeTable<View>(
      {
          {{"NAMESPACE", Cut::kFirst}, false, [](const View& v) { return Text(v.namespace_name); }},
          {{"POD"}, false, [](const View& v) { return Text(v.pod_name); }},
          {{"CONTAINER", Cut::kFirst},
           false,
           [](const View& v) { return Text(v.difference.container); }},
          {{"ENTRY", Cut::kFirst}, true, [](const View& v) { return Text(v.difference.entry); }},
          {{"DEVICE"}, false, [](const View& v) { return OrDash(v.difference.resource_id); }},
          {{"AGENT"}, false, [](const View& v) { return OptionalHealthCell(v.difference.ours); }},
          {{"KUBELET"},
           false,
           [](const View& v) { return OptionalHealthCell(v.difference.theirs); }},
          {{"SINCE"}, false, [](const View& v) { return Text(FormatTime(v.since)); }},
          {{"AGE"}, true, [now](const View& v) { return Text(FormatAge(v.since, now)); }},
          {{"AGENT SAYS", Cut::kFirst},
           true,
           [](const View& v) { return OrDash(v.difference.our_message); }},
          {{"KUBELET SAYS", Cut::kFirst},
           true,
           [](const View& v) { return OrDash(v.difference.their_message); }},
          {{"REASON", Cut::kFirst}, false, [](const View& v) { return Text(v.difference.reason); }},
      },
      differences, wide);
}

std::string ToText(const StoreInfo& info, WallTime now) {
  const auto dated = [now](WallTime time) {
    return FormatTime(time) + " (" + FormatAge(time, now) + " ago)";
  };
  const auto bytes = [](std::uintmax_t size) { return std::to_string(size) + " bytes"; };
  std::vector<std::pair<std::string, std::string>> lines = {
      {"Store", info.path.string()},
      {"Schema version", std::to_string(info.schema_version)},
      {"File", bytes(info.file_bytes)},
      {"Write-ahead log", bytes(info.wal_bytes)},
      {"Open for writing", info.writer ? "yes, by " + *info.writer : "no"},
      {"Agent last alive", info.alive ? dated(info.alive->wall) : "never"},
      {"Boot ID", info.alive ? info.alive->boot_id : "-"},
      {"Devices", std::to_string(info.devices)},
      {"Drivers", std::to_string(info.drivers)},
      {"Pods", std::to_string(info.pods)},
      {"Allocations", std::to_string(info.allocations)},
      {"Container runs", std::to_string(info.containers)},
      {"Transitions", std::to_string(info.transitions)},
  };
  if (info.oldest_transition) lines.emplace_back("  oldest", dated(*info.oldest_transition));
  if (info.newest_transition) lines.emplace_back("  newest", dated(*info.newest_transition));
  std::size_t widest = 0;
  for (const auto& [key, value] : lines) widest = std::max(widest, key.size());
  std::string text;
  for (const auto& [key, value] : lines) {
    text.append(key).append(widest + 2 - key.size(), ' ').append(value).append("\n");
  }
  return text;
}

}  // namespace dra_health

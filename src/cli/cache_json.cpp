#include "cli/cache_json.h"

#include <nlohmann/json.hpp>

namespace dra_health {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json Time(WallTime time) { return FormatTimeMillis(time); }

template <typename T, typename Convert>
Json OrNull(const std::optional<T>& value, const Convert& convert) {
  return value ? Json(convert(*value)) : Json();
}

Json Convert(const DeviceRecord& record) {
  return {
      {"driver", record.key.driver},
      {"pool", record.key.pool},
      {"device", record.key.device},
      {"health", ToString(record.health.health)},
      {"reason", ToString(record.health.reason)},
      {"message", record.health.message},
      {"since", Time(record.health.since)},
      {"leaseSeconds", record.lease.count()},
      {"driverUnixTime", record.driver_time},
  };
}

Json Convert(const DriverRecord& record) {
  return {
      {"name", record.name},
      {"state", ToString(record.state)},
      {"since", Time(record.since)},
      {"endpoint", record.endpoint},
      {"service", record.service},
      {"streamsOpened", record.streams_opened},
      {"streamsEnded", record.streams_ended},
      {"lastError", record.last_error},
  };
}

Json Convert(const PodRecord& record) {
  return {
      {"uid", record.uid},
      {"namespace", record.namespace_name},
      {"name", record.name},
      {"field", ToString(record.field)},
      {"condition", OrNull(record.condition, [](Health health) { return ToString(health); })},
      {"reason", record.reason},
      {"message", record.message},
      {"firstSeen", Time(record.first_seen)},
      {"lastPublished", OrNull(record.last_published, Time)},
      {"ended", OrNull(record.ended, Time)},
      {"deleted", OrNull(record.deleted, Time)},
      {"lastError", record.last_error},
  };
}

Json Convert(const LastHealth& last) {
  return {
      {"health", ToString(last.health.health)},
      {"reason", ToString(last.health.reason)},
      {"message", last.health.message},
      {"since", Time(last.health.since)},
      {"counts", last.counts},
      {"closed", last.closed},
  };
}

Json Convert(const AllocationRecord& record) {
  return {
      {"podUid", record.pod_uid},
      {"container", record.container},
      {"podClaim", record.pod_claim},
      {"claim", record.claim},
      {"request", record.request},
      {"driver", record.key.driver},
      {"pool", record.key.pool},
      {"device", record.key.device},
      {"shareId", record.share_id},
      {"from", Time(record.from)},
      {"to", OrNull(record.to, Time)},
      {"last", OrNull(record.last, [](const LastHealth& last) { return Convert(last); })},
  };
}

Json Convert(const ContainerRecord& record) {
  const ContainerRun& run = record.run;
  Json json = {
      {"podUid", record.pod_uid},
      {"container", record.container},
      {"containerKind", ToString(record.kind)},
      {"restart", run.restart},
      {"started", OrNull(run.started, Time)},
      {"ended", OrNull(run.ended, Time)},
      {"exitCode", Json()},
      {"signal", Json()},
      {"reason", run.reason},
  };
  if (run.ended) json["exitCode"] = run.exit_code;
  if (run.signal != 0) json["signal"] = run.signal;
  return json;
}

Json Convert(const AbsenceRecord& record) {
  return {{"from", Time(record.from)}, {"to", Time(record.to)}};
}

Json Convert(const Transition& record) {
  return {
      {"at", Time(record.at)},
      {"driver", record.key.driver},
      {"pool", record.key.pool},
      {"device", record.key.device},
      {"from", ToString(record.from)},
      {"to", ToString(record.to)},
      {"reason", ToString(record.reason)},
      {"message", record.message},
      {"endpoint", record.endpoint},
  };
}

Json Convert(const AliveRecord& record) {
  return {
      {"at", Time(record.wall)},
      {"bootId", record.boot_id},
      {"bootTimeNanoseconds", record.boot.time_since_epoch().count()},
  };
}

Json Convert(const DeviceView& view) {
  Json json = Convert(view.record);
  json["pods"] = view.pods;
  json["endedPods"] = view.ended_pods;
  return json;
}

Json Convert(const PodView& view) {
  Json json = Convert(view.record);
  Json allocations = Json::array();
  for (const auto& allocation : view.allocations) allocations.push_back(Convert(allocation));
  json["allocations"] = std::move(allocations);
  return json;
}

Json Convert(const DifferenceView& view) {
  const FieldDifference& difference = view.difference;
  const auto word = [](Health health) { return ToString(health); };
  return {
      {"podUid", view.pod_uid},
      {"namespace", view.namespace_name},
      {"pod", view.pod_name},
      {"container", difference.container},
      {"entry", difference.entry},
      {"resourceId", difference.resource_id},
      {"agent", OrNull(difference.ours, word)},
      {"kubelet", OrNull(difference.theirs, word)},
      {"agentMessage", difference.our_message},
      {"kubeletMessage", difference.their_message},
      {"reason", difference.reason},
      {"since", Time(view.since)},
  };
}

template <typename Record>
std::string Array(const std::vector<Record>& records) {
  Json array = Json::array();
  for (const Record& record : records) array.push_back(Convert(record));
  return Dump(array, 2) + "\n";
}

constexpr const char* KindOf(const AliveRecord&) { return "alive"; }
constexpr const char* KindOf(const DriverRecord&) { return "driver"; }
constexpr const char* KindOf(const DeviceRecord&) { return "device"; }
constexpr const char* KindOf(const PodRecord&) { return "pod"; }
constexpr const char* KindOf(const AllocationRecord&) { return "allocation"; }
constexpr const char* KindOf(const ContainerRecord&) { return "container"; }
constexpr const char* KindOf(const AbsenceRecord&) { return "absence"; }
constexpr const char* KindOf(const Transition&) { return "transition"; }

}  // namespace

std::string ToJson(const std::vector<DeviceView>& devices) { return Array(devices); }
std::string ToJson(const std::vector<DriverRecord>& drivers) { return Array(drivers); }
std::string ToJson(const std::vector<PodView>& pods) { return Array(pods); }
std::string ToJson(const std::vector<Transition>& transitions) { return Array(transitions); }
std::string ToJson(const std::vector<DifferenceView>& differences) { return Array(differences); }

std::string ToJson(const StoreInfo& info) {
  const Json json = {
      {"path", info.path.string()},
      {"schemaVersion", info.schema_version},
      {"fileBytes", info.file_bytes},
      {"walBytes", info.wal_bytes},
      {"writer", OrNull(info.writer, [](const std::string& writer) { return writer; })},
      {"alive", OrNull(info.alive, [](const AliveRecord& alive) { return Convert(alive); })},
      {"rows",
       {
           {"devices", info.devices},
           {"drivers", info.drivers},
           {"pods", info.pods},
           {"allocations", info.allocations},
           {"containerRuns", info.containers},
           {"transitions", info.transitions},
       }},
      {"oldestTransition", OrNull(info.oldest_transition, Time)},
      {"newestTransition", OrNull(info.newest_transition, Time)},
  };
  return Dump(json, 2) + "\n";
}

std::string ToJsonLine(const StoredRecord& record) {
  return std::visit(
      [](const auto& held) {
        Json json = {{"kind", KindOf(held)}};
        json.update(Convert(held));
        return Dump(json, -1);
      },
      record);
}

}  // namespace dra_health

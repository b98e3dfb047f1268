#include "cli/option_table.h"

#include <chrono>

namespace dra_health {
namespace {

using namespace std::chrono_literals;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kGiB = kKiB * kKiB * kKiB;
constexpr std::size_t kLongestNodeName = 253;   // a DNS subdomain (RFC 1123)
constexpr std::size_t kLongestDriverName = 63;  // DriverNameMaxLength of resource.k8s.io

constexpr auto kOption = [](auto name, const auto& kind, auto field, auto help) {
  return MakeSetting<RunOptions>(name, kind, field, help);
};

constexpr auto kDriverOption = [](auto name, const auto& kind, auto field, auto help) {
  return MakeSetting<DriverSettings>(name, kind, field, help);
};

Kind<seconds> LeaseKind() { return DurationKind<seconds>(1s, 24h); }

Kind<bool> BoolKind() { return WordKind<bool>("BOOL", {{"true", true}, {"false", false}}); }

Kind<ListenAddress> AddressKind() {
  return {"ADDRESS", "an IPv4 address with a port; other than 127.0.0.0/8 only with TLS; or off",
          ParseListenAddress, [](const ListenAddress& address) { return address.ToString(); }};
}

OptionGroup General() {
  return {
      "General",
      {
          kOption(
              "config", PathKind(), [](auto& o) -> auto& { return o.config; },
              "YAML configuration file; its keys are listed in docs/reference.md.")
              .NotInFile()
              .Unset("none"),
          kOption(
              "dry-run", BoolKind(), [](auto& o) -> auto& { return o.agent.settings.dry_run; },
              "Print the patches instead of sending them."),
          kOption(
              "log-level",
              WordKind<spdlog::level::level_enum>("LEVEL", {{"debug", spdlog::level::debug},
                                                            {"info", spdlog::level::info},
                                                            {"warn", spdlog::level::warn},
                                                            {"error", spdlog::level::err}}),
              [](auto& o) -> auto& { return o.log_level; },
              "The least severe messages that are logged."),
          kOption(
              "log-format", WordKind<std::string>("FORMAT", {{"text", "text"}, {"json", "json"}}),
              [](auto& o) -> auto& { return o.log_format; },
              "Log lines for people, or one JSON object a line."),
      }};
}

OptionGroup Drivers() {
  return {"Drivers",
          {
              kOption(
                  "kubelet-root", PathKind(), [](auto& o) -> auto& { return o.kubelet_root; },
                  "The kubelet's --root-dir."),
              kOption(
                  "registration-dir", PathKind(),
                  [](auto& o) -> auto& { return o.agent.discovery.registration_dir; },
                  "Folder of the registration sockets.")
                  .Unset("plugins_registry below the kubelet root"),
              kOption(
                  "rescan-interval", DurationKind<seconds>(1s, 10min),
                  [](auto& o) -> auto& { return o.agent.discovery.rescan_interval; },
                  "How often that folder is read again whatever inotify says."),
              kOption(
                  "default-lease", LeaseKind(),
                  [](auto& o) -> auto& { return o.agent.settings.default_lease; },
                  "How long a report holds where the driver sets no health check timeout."),
              kOption(
                  "max-report-bytes", SizeKind(64 * kKiB, kGiB),
                  [](auto& o) -> auto& { return o.agent.discovery.max_report_bytes; },
                  "A larger report ends its stream."),
              kOption(
                  "max-devices-per-driver", CountKind(1, 1'000'000),
                  [](auto& o) -> auto& { return o.agent.settings.max_devices_per_driver; },
                  "Devices beyond it are dropped and counted."),
          }};
}

OptionGroup Publishing() {
  return {"Publishing",
          {
              kOption(
                  "publish",
                  WordKind<PublishMode>("MODE", {{"auto", PublishMode::kAuto},
                                                 {"always", PublishMode::kAlways},
                                                 {"condition-only", PublishMode::kConditionOnly},
                                                 {"never", PublishMode::kNever}}),
                  [](auto& o) -> auto& { return o.agent.settings.publish; },
                  "auto: the condition, and allocatedResourcesStatus where no kubelet writes it or "
                  "a guard makes ours stay; always: both; condition-only: the condition; never: "
                  "nothing, only compare (cache diff)."),
              kOption(
                  "resource-id",
                  WordKind<ResourceIdForm>(
                      "FORM", {{"triple", ResourceIdForm::kTriple}, {"cdi", ResourceIdForm::kCdi}}),
                  [](auto& o) -> auto& { return o.agent.settings.resource_id; },
                  "Name of a device in resourceID: driver/pool/device, or as the kubelet has it, "
                  "its first CDI ID where it has one."),
              kOption(
                  "hold",
                  WordKind<HoldPods>("PODS", {{"all", HoldPods::kAll},
                                              {"not-healthy", HoldPods::kNotHealthy},
                                              {"none", HoldPods::kNone}}),
                  [](auto& o) -> auto& { return o.agent.settings.hold; },
                  "Pods that get allocatedResourcesStatus besides the condition. A kubelet with "
                  "its gate off sends one GET and one PATCH in 10 s for each."),
              kOption(
                  "max-held-pods", CountKind(1, 10'000),
                  [](auto& o) -> auto& { return o.agent.settings.max_held_pods; },
                  "No more than so many; those with a device that is not Healthy come first."),
              kOption(
                  "reassert-interval", DurationKind<seconds>(1s, 1h),
                  [](auto& o) -> auto& { return o.agent.settings.reassert_interval; },
                  "The longest wait before allocatedResourcesStatus is written again where another "
                  "writer takes it away; the first waits are 0, 5, 15 and 40 % of it."),
              kOption(
                  "report-grace", DurationKind<seconds>(0s, 10min),
                  [](auto& o) -> auto& { return o.agent.settings.report_grace; },
                  "How long a device's first report is awaited before it is published as "
                  "Unknown."),
              kOption(
                  "late-report-window", DurationKind<seconds>(0s, 1h),
                  [](auto& o) -> auto& { return o.agent.settings.late_report_window; },
                  "How long after a pod's end a report still counts for it, unless another pod has "
                  "the device by then."),
              kOption(
                  "message-interval", DurationKind<seconds>(0s, 1h),
                  [](auto& o) -> auto& { return o.agent.settings.message_interval; },
                  "A pod is patched for a changed message alone at most once in this time."),
          }};
}

OptionGroup ApiServer() {
  return {"API server",
          {
              kOption(
                  "node-name", DnsNameKind(kLongestNodeName, Letters::kLowerCase),
                  [](auto& o) -> auto& { return o.agent.api.node_name; },
                  "Name of this node in the API.")
                  .Environment("NODE_NAME")
                  .Unset("none, must be set"),
              kOption(
                  "kubeconfig", PathKind(), [](auto& o) -> auto& { return o.agent.api.kubeconfig; },
                  "Credentials for running outside of a pod.")
                  .Environment("KUBECONFIG")
                  .Unset("the pod's service account"),
              kOption(
                  "api-timeout", DurationKind<milliseconds>(100ms, 5min),
                  [](auto& o) -> auto& { return o.agent.api.timeout; },
                  "Total time of one GET or PATCH."),
              kOption(
                  "api-connections", CountKind(1, 64),
                  [](auto& o) -> auto& { return o.agent.api.workers; },
                  "Connections for GET and PATCH; the watch has its own."),
          }};
}

OptionGroup Storage() {
  return {"Store",
          {
              kOption(
                  "store", PathKind(), [](auto& o) -> auto& { return o.agent.store; },
                  "SQLite file of the agent's memory; made where it is missing."),
              kOption(
                  "max-store-size", SizeKind(kKiB * kKiB, 1024 * kGiB),
                  [](auto& o) -> auto& { return o.agent.settings.max_store_bytes; },
                  "Above it the oldest transitions and deleted pods are forgotten before their "
                  "time."),
              kOption(
                  "retention", DurationKind<hours>(1h, 24h * 366 * 10),
                  [](auto& o) -> auto& { return o.agent.settings.retention; },
                  "How long devices, pods and transitions are remembered."),
          }};
}

OptionGroup Observing() {
  return {
      "Metrics and health",
      {
          kOption(
              "listen-address", AddressKind(), [](auto& o) -> auto& { return o.listen_address; },
              "Where /metrics, /healthz and /readyz are served. Where it is set, the agent "
              "does not start without it.")
              .Unset(kDefaultListenAddress.ToString() + ", where it is free"),
          kOption(
              "tls-cert-file", PathKind(),
              [](auto& o) -> auto& { return o.agent.observe.tls_certificate; },
              "Serve them by TLS with this certificate and its chain (PEM); a new file is "
              "taken without a restart.")
              .Unset("no TLS"),
          kOption(
              "tls-private-key-file", PathKind(),
              [](auto& o) -> auto& { return o.agent.observe.tls_key; },
              "The key of that certificate (PEM).")
              .Unset("no TLS"),
      }};
}

}  // namespace

const std::vector<OptionGroup>& RunOptionTable() {
  static const std::vector<OptionGroup> kTable = {General(),    ApiServer(), Drivers(),
                                                  Publishing(), Storage(),   Observing()};
  return kTable;
}

const std::vector<Setting<DriverSettings>>& DriverOptionTable() {
  static const std::vector<Setting<DriverSettings>> kTable = {
      kDriverOption(
          "health", WordKind<bool>("WORD", {{"watch", true}, {"off", false}}),
          [](auto& d) -> auto& { return d.watch; },
          "Keep a health stream to the driver, or leave it alone."),
      kDriverOption(
          "lease", LeaseKind(), [](auto& d) -> auto& { return d.lease; },
          "How long its reports hold, whatever the driver says.")
          .Unset("what the driver says"),
      kDriverOption(
          "probe", BoolKind(), [](auto& d) -> auto& { return d.probe; },
          "Try the health service once although the driver does not advertise it."),
  };
  return kTable;
}

const Kind<std::string>& DriverNameKind() {
  static const Kind<std::string> kKind = DnsNameKind(kLongestDriverName, Letters::kAnyCase);
  return kKind;
}

}  // namespace dra_health

#include "cli/run_options.h"

#include <cstdlib>
#include <utility>

#include "cli/config_file.h"
#include "cli/option_table.h"

namespace dra_health {
namespace {

// One source laid over the others: a text for a setting, and how to name where it stands.
struct Source {
  std::function<std::optional<std::string>(const Setting<RunOptions>&)> text;
  std::function<std::string(const Setting<RunOptions>&)> place;
};

Source FlagSource(const FlagValues& flags) {
  return {[&flags](const Setting<RunOptions>& setting) -> std::optional<std::string> {
            const auto found = flags.find(setting.name);
            return found == flags.end() ? std::nullopt : std::optional(found->second);
          },
          [](const Setting<RunOptions>& setting) { return FlagName(setting.name); }};
}

// A variable that is set to nothing counts as not set: that is how manifests unset one.
Source EnvironmentSource(const Environment& environment) {
  return {[&environment](const Setting<RunOptions>& setting) -> std::optional<std::string> {
            auto value = environment(EnvironmentName(setting));
            return value && value->empty() ? std::nullopt : value;
          },
          [](const Setting<RunOptions>& setting) { return EnvironmentName(setting); }};
}

Problems Apply(const Source& source, RunOptions& options) {
  Problems problems;
  for (const OptionGroup& group : RunOptionTable()) {
    for (const auto& setting : group.settings) {
      const auto text = source.text(setting);
      if (!text) continue;
      const auto done = setting.set(options, *text);
      if (done) continue;
      problems.push_back(source.place(setting) + ": " + done.error() +
                         "; allowed: " + setting.allowed);
    }
  }
  return problems;
}

void Append(Problems more, Problems& problems) {
  problems.insert(problems.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

// What follows from other options.
void Derive(RunOptions& options) {
  auto& discovery = options.agent.discovery;
  if (discovery.registration_dir.empty()) {
    discovery.registration_dir = options.kubelet_root / "plugins_registry";
  }
  discovery.pod_resources = options.kubelet_root / "pod-resources" / "kubelet.sock";
  discovery.max_devices_per_report = options.agent.settings.max_devices_per_driver;
  auto& observe = options.agent.observe;
  observe.address = options.listen_address.value_or(kDefaultListenAddress);
  observe.required = options.listen_address.has_value();
}

// What does not fit together.
Problems Contradictions(const ObserveOptions& observe) {
  Problems problems;
  const bool tls = !observe.tls_certificate.empty();
  if (tls == observe.tls_key.empty()) {
    problems.emplace_back(
        "--tls-cert-file and --tls-private-key-file: one is of no use without "
        "the other; allowed: both or none");
  } else if (!tls && !observe.address.off() && !observe.address.loopback()) {
    problems.push_back("--listen-address: '" + observe.address.ToString() +
                       "' can be reached from other machines; allowed: an address of 127.0.0.0/8, "
                       "or any with --tls-cert-file and --tls-private-key-file");
  }
  return problems;
}

// All sources laid over each other.
tl::expected<RunOptions, Problems> Resolve(const FlagValues& flags,
                                           const Environment& environment) {
  const Source from_environment = EnvironmentSource(environment);
  const Source from_flags = FlagSource(flags);

  // The file comes first but the others say which: lay them once to learn its name.
  RunOptions options;
  Apply(from_environment, options);
  Apply(from_flags, options);
  const auto config = options.config;

  options = {};
  Problems problems;
  if (!config.empty()) problems = ApplyConfigFile(config, options);
  Append(Apply(from_environment, options), problems);
  Append(Apply(from_flags, options), problems);
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  Derive(options);
  return options;
}

}  // namespace

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

tl::expected<RunOptions, Problems> ResolveRunOptions(const FlagValues& flags,
                                                     const Environment& environment) {
  auto options = Resolve(flags, environment);
  if (!options) return options;
  Problems problems = Contradictions(options->agent.observe);
  if (options->agent.api.node_name.empty()) {
    problems.emplace_back(
        "the node's name is not set: give --node-name, NODE_NAME or the key nodeName");
  }
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return options;
}

tl::expected<ObserveOptions, Problems> ResolveObserveOptions(const FlagValues& flags,
                                                             const Environment& environment) {
  return Resolve(flags, environment).map([](const RunOptions& options) {
    return options.agent.observe;
  });
}

}  // namespace dra_health

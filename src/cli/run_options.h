#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <spdlog/common.h>
#include <tl/expected.hpp>

#include "agent/options.h"

namespace dra_health {

// What `dra-health-agent run` was told, by whatever way.
struct RunOptions {
  AgentOptions agent;
  std::filesystem::path config;
  std::filesystem::path kubelet_root{"/var/lib/kubelet"};
  spdlog::level::level_enum log_level = spdlog::level::info;
  std::string log_format{"text"};
  std::optional<ListenAddress> listen_address;  // none: the default, where it can be had
};

// The text of each flag that was given, by its name without dashes.
using FlagValues = std::map<std::string, std::string>;

// An environment variable; nothing if it is not set. Injected for tests.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
std::optional<std::string> ProcessEnvironment(const std::string& name);

// Every mistake found, each naming its place and what is allowed there.
using Problems = std::vector<std::string>;

// Flags override the environment, the environment overrides the file. All three are checked alike,
// also where a value is overridden. Reads the configuration file and touches nothing else.
tl::expected<RunOptions, Problems> ResolveRunOptions(const FlagValues& flags,
                                                     const Environment& environment);

// The same for a command that only asks a running agent: where that listens. The certificate may be
// known to that agent alone.
tl::expected<ObserveOptions, Problems> ResolveObserveOptions(const FlagValues& flags,
                                                             const Environment& environment);

}  // namespace dra_health

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "agent/options.h"
#include "base/clock.h"
#include "base/log.h"
#include "cache/store_lock.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "patcher/credentials.h"
#include "patcher/http/cpprest_client.h"
#include "patcher/http_threads.h"
#include "patcher/release.h"

namespace dra_health {
namespace {

struct Arguments {
  std::string node;
  bool all_nodes = false;
  std::string kubeconfig;
  std::string store = AgentOptions{}.store.string();
  bool dry_run = false;
};

using Pods = std::vector<std::shared_ptr<const Pod>>;

int Complain(const std::string& what) {
  std::cerr << "dra-health-agent release: " << what << '\n';
  return kExitFailure;
}

std::string NameOf(const Pod& pod) { return pod.namespace_name + "/" + pod.name; }

// Guard first: until the pods have been patched it would put old entries back.
Result<void> RemoveGuard(PodRelease& release) {
  return release.RemoveGuard().map([](bool there) {
    std::cout << (there ? "removed the guard " : "no guard is served as v1: ") << kGuardName
              << '\n';
  });
}

int ReleaseAll(PodRelease& release, const Pods& pods) {
  std::size_t failed = 0;
  for (const auto& pod : pods) {
    if (const auto done = release.Release(pod); done) {
      std::cout << "released " << NameOf(*pod) << '\n';
    } else {
      ++failed;
      std::cerr << done.error().message << '\n';
    }
  }
  if (failed == 0) return kExitOk;
  return Complain(std::to_string(failed) + " of " + std::to_string(pods.size()) +
                  " pods could not be released");
}

int Release(const Arguments& arguments) {
  if (const auto holder = StoreLock::Holder(arguments.store); holder && !arguments.all_nodes) {
    return Complain("the agent of this node runs (" + *holder +
                    ") and would publish anew: stop it first");
  }
  const auto credentials = FindCredentials(arguments.kubeconfig);
  if (!credentials) return Complain(credentials.error().message);
  const auto http = MakeHttpClient(*credentials);
  if (!http) return Complain(http.error().message);
  const SystemClock clock;
  ApiSession session(**http, credentials->token, clock);
  PodRelease release(session);

  const auto pods = release.Find(arguments.node);
  if (!pods) return Complain(pods.error().message);
  if (arguments.all_nodes && !arguments.dry_run) {
    if (const auto done = RemoveGuard(release); !done) return Complain(done.error().message);
  }
  if (arguments.dry_run) {
    for (const auto& pod : *pods) std::cout << "would release " << NameOf(*pod) << '\n';
    return kExitOk;
  }
  const int code = ReleaseAll(release, *pods);
  if (pods->empty()) std::cout << "no pod carries " << kConditionType << '\n';
  if (code != kExitOk || !arguments.all_nodes) return code;
  const auto again = release.Find(arguments.node);
  if (!again) return Complain(again.error().message);
  if (again->empty()) return kExitOk;
  return Complain(std::to_string(again->size()) + " pods carry the condition again, " +
                  NameOf(*again->front()) + " for one: an agent still runs on their node");
}

}  // namespace

void AddReleaseCommand(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand(
      "release", "Give pods back to the kubelet: take the agent's entries and condition away");
  command->footer(
      "For an agent that will not come back: what it wrote last would stay, with a guard for "
      "ever.\n"
      "--all-nodes removes the guard first and needs an administrator's kubeconfig.");
  const auto arguments = std::make_shared<Arguments>();
  auto* const scope = command->add_option_group("Scope");
  scope->add_option("--node-name", arguments->node, "Pods of this node")
      ->envname("NODE_NAME")
      ->type_name("NAME");
  const auto* const all =
      scope->add_flag("--all-nodes", arguments->all_nodes,
                      "Pods of all nodes, and the guard; wins over --node-name");
  command->add_option("--kubeconfig", arguments->kubeconfig, "Credentials [the pod's account]")
      ->envname("KUBECONFIG")
      ->type_name("FILE");
  command->add_option("--store", arguments->store, "The agent's store, to see whether it runs")
      ->envname("DRA_HEALTH_STORE")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--dry-run", arguments->dry_run, "Only name the pods");
  command->callback([&exit_code, arguments, all] {
    if (all->count() > 0) arguments->node.clear();
    if (all->count() == 0 && arguments->node.empty()) {
      throw CLI::RequiredError("--node-name (or NODE_NAME) or --all-nodes");
    }
    SetUpLogging(spdlog::level::warn, "text");
    StartHttpThreads();
    exit_code = Release(*arguments);
  });
}

}  // namespace dra_health

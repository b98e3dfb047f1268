#include "agent/agent.h"

#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <optional>
#include <random>
#include <utility>

#include "base/memory.h"
#include "observe/http/beast_listener.h"
#include "patcher/patch_builder.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Streams end within milliseconds of being cancelled; a driver that hangs must not hold the stop.
constexpr seconds kStopBound{2};
// Pruning deletes a bounded number of rows at a time, so it runs often rather than long.
constexpr std::chrono::minutes kTidyInterval{1};

void Say(const effect::Notice& notice) {
  switch (notice.severity) {
    case effect::Severity::kInfo:
      spdlog::info("{}", notice.text);
      break;
    case effect::Severity::kWarning:
      spdlog::warn("{}", notice.text);
      break;
    case effect::Severity::kError:
      spdlog::error("{}", notice.text);
      break;
  }
}

void SayTransitions(const std::vector<StoreWrite>& writes) {
  for (const StoreWrite& write : writes) {
    const auto* transition = std::get_if<Transition>(&write);
    if (transition == nullptr) continue;
    spdlog::info("device {} turned {} (was {}){}{}", ResourceId(transition->key),
                 ToString(transition->to), ToString(transition->from),
                 transition->message.empty() ? "" : ": ", transition->message);
  }
}

// Waits until a descriptor is readable or the deadline has come. Descriptors of -1 are skipped.
template <std::size_t N>
void WaitFor(std::array<int, N> fds, BootTime deadline, BootTime now) {
  std::array<pollfd, N> polled{};
  for (std::size_t i = 0; i < N; ++i) polled[i] = {fds[i], POLLIN, 0};
  timespec timeout{};
  const bool bounded = deadline != BootTime::max();
  if (bounded && deadline > now) {
    const auto left = deadline - now;
    timeout.tv_sec = static_cast<time_t>(left / seconds{1});
    timeout.tv_nsec = static_cast<long>((left % seconds{1}).count());
  }
  ::ppoll(polled.data(), polled.size(), bounded ? &timeout : nullptr, nullptr);
}

bool IsReadable(int fd) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

// SQLite's three files. Those that are not there count nothing.
std::uintmax_t SizeOf(const std::filesystem::path& store) {
  std::uintmax_t bytes = 0;
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(store.string() + suffix, error);
    if (!error) bytes += size;
  }
  return bytes;
}

Settings WithConnections(const AgentOptions& options) {
  Settings settings = options.settings;
  settings.max_patches_in_flight = 2 * options.api.workers;
  return settings;
}

}  // namespace

Agent::Agent(const AgentOptions& options)
    : options_(options),
      keeper_([path = options.store] { return Store::Open(path); }, clock_, Say),
      reconciler_(WithConnections(options), ReadBootId(), std::random_device{}()) {}

Result<std::unique_ptr<Agent>> Agent::Create(const AgentOptions& options) {
  auto agent = std::unique_ptr<Agent>(new Agent(options));
  auto api = ApiClient::Create(options.api, agent->queue_);
  if (!api) return Fail(ErrorKind::kItem, api.error().message);
  agent->api_ = *std::move(api);
  auto observer = Observer::Create(
      options.observe, agent->clock_, agent->queue_, [raw = agent.get()] { return raw->Look(); },
      OpenHttpListener);
  if (!observer) return tl::unexpected(observer.error());
  agent->observer_ = *std::move(observer);
  auto stored = agent->keeper_.Start();
  if (!stored) return tl::unexpected(stored.error());
  agent->stored_ = *std::move(stored);
  agent->discovery_ = Discovery::Create(options.discovery, agent->clock_, agent->queue_);
  return agent;
}

bool Agent::Run(int stop_fd) {
  Effects restored = reconciler_.Restore(std::exchange(stored_, {}), clock_.Now());
  observer_->metrics().Saw(restored);
  Commit(std::move(restored));
  discovery_->Poll();
  api_->Start();
  next_tidy_ = clock_.Now().boot + kTidyInterval;
  while (!IsReadable(stop_fd)) {
    WaitFor(std::array{queue_.fd(), discovery_->fd(), stop_fd},
            std::min({reconciler_.NextDeadline(), discovery_->NextDeadline(), next_tidy_}),
            clock_.Now().boot);
    Turn();
  }
  return Stop();
}

void Agent::Turn() {
  Effects all;
  std::vector<PluginId> read_next;
  TakeQueue([&](const Event& event) {
    Take(event, all);
    if (const auto* report = std::get_if<event::ReportReceived>(&event)) {
      read_next.push_back(report->id);
    }
  });
  const Moment now = clock_.Now();
  discovery_->Poll();
  if (reconciler_.NextDeadline() <= now.boot) Take(event::Tick{}, all);
  Commit(std::move(all));
  for (const PluginId id : read_next) discovery_->ReadNext(id);
  if (next_tidy_ <= now.boot) {
    next_tidy_ = now.boot + kTidyInterval;
    const Settings& settings = options_.settings;
    keeper_.Prune(now.wall - settings.retention, settings.max_store_bytes);
    ReturnUnusedMemory();
  }
  observer_->Turned();
}

void Agent::TakeQueue(const std::function<void(const Event&)>& take) {
  for (QueueItem& item : queue_.TakeAll()) {
    if (auto* task = std::get_if<MainTask>(&item)) {
      (*task)();
    } else {
      take(std::get<Event>(item));
    }
  }
}

void Agent::Take(const Event& event, Effects& all) {
  observer_->metrics().Saw(event);
  Effects effects = reconciler_.Handle(event, clock_.Now());
  observer_->metrics().Saw(effects);
  std::ranges::move(effects.writes, std::back_inserter(all.writes));
  std::ranges::move(effects.effects, std::back_inserter(all.effects));
}

void Agent::Commit(Effects effects) {
  if (!effects.writes.empty()) Store(effects.writes);
  for (Effect& effect : effects.effects) CarryOut(effect);
  SayTransitions(effects.writes);
}

void Agent::Store(const std::vector<StoreWrite>& writes) {
  const BootTime start = clock_.Now().boot;
  if (keeper_.Apply(writes) != Durability::kDurable) return;
  observer_->metrics().StoreWritten(clock_.Now().boot - start);
}

Observation Agent::Look() {
  Observation seen;
  seen.summary = reconciler_.Summarize(clock_.Now().boot);
  seen.store = {keeper_.durable(), SizeOf(options_.store), keeper_.failures(),
                keeper_.kept(),    keeper_.dropped(),      keeper_.lost_files()};
  seen.checks = {
      {"api-server", api_->watching() ? "" : "the watch of the node's pods is not open"},
      {"registration-folder",
       discovery_->sees_folder()
           ? ""
           : options_.discovery.registration_dir.string() + " is not there or cannot be read"},
      {"store", keeper_.durable() ? "" : keeper_.last_error()},
  };
  return seen;
}

void Agent::CarryOut(Effect& effect) {
  if (const auto* open = std::get_if<effect::OpenStream>(&effect)) {
    discovery_->OpenStream(open->id, open->endpoint, open->service);
  } else if (const auto* close = std::get_if<effect::CloseStream>(&effect)) {
    discovery_->CloseStream(close->id);
  } else if (std::holds_alternative<effect::ReadCdiIds>(effect)) {
    discovery_->ReadCdiIds();
  } else if (auto* claim = std::get_if<effect::ReadClaim>(&effect)) {
    api_->ReadClaim(std::move(claim->namespace_name), std::move(claim->name),
                    std::move(claim->pod_uid));
  } else if (auto* pod = std::get_if<effect::ReadPod>(&effect)) {
    api_->ReadPod(std::move(pod->namespace_name), std::move(pod->name), std::move(pod->uid));
  } else if (auto* patch = std::get_if<effect::Patch>(&effect)) {
    if (options_.settings.dry_run) {
      PrintPatch(patch->patch);
    } else {
      api_->Patch(std::move(patch->patch));
    }
  } else if (const auto* notice = std::get_if<effect::Notice>(&effect)) {
    Say(*notice);
  }
}

void Agent::PrintPatch(const PodPatch& patch) {
  std::cout << "# " << FormatTimeMillis(patch.now) << " PATCH pods/status "
            << patch.pod->namespace_name << "/" << patch.pod->name << "\n"
            << BuildPatch(patch, 2) << std::endl;
  if (!std::cout) spdlog::error("cannot write to standard output what would be sent");
  event::PatchDone done;
  done.uid = patch.pod->uid;
  done.outcome = event::PatchOutcome::kApplied;
  queue_.Push(Event{std::move(done)});
}

bool Agent::Stop() {
  spdlog::info("stopping");
  observer_->Stop();
  discovery_->Stop();
  Effects last;
  const auto take_answers = [&](const Event& event) {
    const auto* patched = std::get_if<event::PatchDone>(&event);
    if (patched != nullptr && patched->outcome == event::PatchOutcome::kApplied) Take(event, last);
  };
  const BootTime bound = clock_.Now().boot + kStopBound;
  while (discovery_->open_calls() > 0 && clock_.Now().boot < bound) {
    WaitFor(std::array{queue_.fd()}, bound, clock_.Now().boot);
    TakeQueue(take_answers);
  }
  api_->Stop();
  TakeQueue(take_answers);
  if (!last.writes.empty()) Store(last.writes);
  if (discovery_->open_calls() == 0) return true;
  spdlog::error("{} calls to drivers did not end within {} s", discovery_->open_calls(),
                kStopBound.count());
  return false;
}

}  // namespace dra_health

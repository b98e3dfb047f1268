#include "discovery/discovery.h"

#include <algorithm>
#include <map>
#include <utility>

#include <spdlog/spdlog.h>

#include "discovery/health_stream.h"
#include "discovery/info_probe.h"
#include "discovery/pod_resources.h"
#include "discovery/registrations.h"
#include "discovery/registry_watcher.h"
#include "discovery/rpc.h"

namespace dra_health {
namespace {

// A kubelet lists the resources of all its pods within milliseconds.
constexpr std::chrono::seconds kPodResourcesTimeout{5};

// Joins the parts: the folder finds sockets, probes ask them, streams listen.
class GrpcDiscovery final : public Discovery {
 public:
  GrpcDiscovery(DiscoveryOptions options, const Clock& clock, EventQueue& queue)
      : options_(std::move(options)),
        clock_(clock),
        queue_(queue),
        watcher_(options_.registration_dir, options_.rescan_interval, clock),
        registrations_(queue) {}

  int fd() const override { return watcher_.fd(); }

  void Poll() override {
    if (stopped_) return;
    const RegistryChanges changes = watcher_.Poll();
    const BootTime now = clock_.Now().boot;
    for (const PluginId id : changes.gone) {
      registrations_.Gone(id);
      if (const auto probe = probes_.find(id); probe != probes_.end()) probe->second->Cancel();
    }
    for (const FoundSocket& socket : changes.found) registrations_.Found(socket, now);
    for (const FoundSocket& socket : registrations_.TakeDue(now)) Ask(socket);
  }

  BootTime NextDeadline() const override {
    if (stopped_) return BootTime::max();
    return std::min(watcher_.NextDeadline(), registrations_.NextDeadline());
  }

  bool sees_folder() const override { return watcher_.sees_folder(); }

  void OpenStream(PluginId id, const std::string& endpoint, const std::string& service) override {
    if (streams_.contains(id)) {
      spdlog::error("bug: a second stream was asked for before the first to {} ended", endpoint);
      return;
    }
    if (stopped_) {
      queue_.Push(event::StreamEnded{.id = id, .why = "the agent is stopping"});
      return;
    }
    const HealthStream::Options stream_options{.id = id,
                                               .endpoint = endpoint,
                                               .service = service,
                                               .max_report_bytes = options_.max_report_bytes,
                                               .max_devices = options_.max_devices_per_report};
    streams_[id] =
        HealthStream::Start(stream_options, queue_, [this](const event::StreamEnded& ended) {
          streams_.erase(ended.id);
          queue_.Push(ended);
        });
  }

  void CloseStream(PluginId id) override {
    if (const auto stream = streams_.find(id); stream != streams_.end()) stream->second->Close();
  }

  void ReadNext(PluginId id) override {
    if (const auto stream = streams_.find(id); stream != streams_.end()) stream->second->ReadNext();
  }

  void ReadCdiIds() override {
    if (stopped_) return;
    pod_resources_ = ListCdiIds(options_.pod_resources.native(), kPodResourcesTimeout, queue_,
                                [this](const Result<std::vector<CdiIdRecord>>& ids) {
                                  pod_resources_.reset();
                                  queue_.Push(event::CdiIdsRead{ids});
                                });
  }

  void Stop() override {
    stopped_ = true;
    if (pod_resources_) pod_resources_->Cancel();
    for (const auto& [id, probe] : probes_) probe->Cancel();
    for (const auto& [id, stream] : streams_) stream->Close();
  }

  std::size_t open_calls() const override {
    return probes_.size() + streams_.size() + (pod_resources_ ? 1 : 0);
  }

 private:
  void Ask(const FoundSocket& socket) {
    probes_[socket.id] = ProbeInfo(socket.path.native(), options_.info_timeout, queue_,
                                   [this, id = socket.id](const Result<PluginInfo>& answer) {
                                     probes_.erase(id);
                                     if (!stopped_)
                                       registrations_.Answered(id, answer, clock_.Now().boot);
                                   });
  }

  const DiscoveryOptions options_;
  const Clock& clock_;
  EventQueue& queue_;
  RegistryWatcher watcher_;
  Registrations registrations_;
  std::map<PluginId, std::unique_ptr<PendingCall>> probes_;
  std::map<PluginId, std::unique_ptr<HealthStream>> streams_;
  std::unique_ptr<PendingCall> pod_resources_;
  bool stopped_ = false;
};

}  // namespace

std::unique_ptr<Discovery> Discovery::Create(DiscoveryOptions options, const Clock& clock,
                                             EventQueue& queue) {
  RouteGrpcLog();
  return std::make_unique<GrpcDiscovery>(std::move(options), clock, queue);
}

}  // namespace dra_health

#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "dra/v1.grpc.pb.h"
#include "dra_health/v1.grpc.pb.h"
#include "dra_health/v1alpha1.grpc.pb.h"
#include "pluginregistration/v1.grpc.pb.h"
#include "sim/driver/health_streams.h"

namespace dra_health::sim {

namespace dra = k8s::io::kubelet::pkg::apis::dra::v1;

// The gRPC services of a simulated driver. Thread: gRPC's; counters may be read from any.

class RegistrationService final : public pluginregistration::Registration::CallbackService {
 public:
  RegistrationService(pluginregistration::PluginInfo info, bool answers)
      : info_(std::move(info)), answers_(answers) {}

  grpc::ServerUnaryReactor* GetInfo(grpc::CallbackServerContext* context,
                                    const pluginregistration::InfoRequest* request,
                                    pluginregistration::PluginInfo* info) override;
  grpc::ServerUnaryReactor* NotifyRegistrationStatus(
      grpc::CallbackServerContext* context, const pluginregistration::RegistrationStatus* status,
      pluginregistration::RegistrationStatusResponse* response) override;

  std::size_t info_calls() const { return info_calls_; }
  std::size_t notify_calls() const { return notify_calls_; }

 private:
  const pluginregistration::PluginInfo info_;
  const bool answers_;
  std::atomic<std::size_t> info_calls_ = 0;
  std::atomic<std::size_t> notify_calls_ = 0;
};

// Every claim is prepared, without CDI devices.
class PluginService final : public dra::DRAPlugin::CallbackService {
 public:
  grpc::ServerUnaryReactor* NodePrepareResources(
      grpc::CallbackServerContext* context, const dra::NodePrepareResourcesRequest* request,
      dra::NodePrepareResourcesResponse* response) override;
  grpc::ServerUnaryReactor* NodeUnprepareResources(
      grpc::CallbackServerContext* context, const dra::NodeUnprepareResourcesRequest* request,
      dra::NodeUnprepareResourcesResponse* response) override;

  std::size_t prepare_calls() const { return prepare_calls_; }
  std::size_t unprepare_calls() const { return unprepare_calls_; }

 private:
  std::atomic<std::size_t> prepare_calls_ = 0;
  std::atomic<std::size_t> unprepare_calls_ = 0;
};

// Api: v1::DRAResourceHealth or v1alpha1::DRAResourceHealth.
template <typename Api>
class HealthService final
    : public Api::template WithRawCallbackMethod_NodeWatchResources<typename Api::Service> {
 public:
  explicit HealthService(HealthStreams& streams) : streams_(streams) {}

  HealthStreams::Reactor* NodeWatchResources(grpc::CallbackServerContext* /*context*/,
                                             const grpc::ByteBuffer* /*request*/) override {
    return streams_.Open();
  }

 private:
  HealthStreams& streams_;
};

}  // namespace dra_health::sim

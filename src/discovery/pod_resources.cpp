#include "discovery/pod_resources.h"

#include <map>
#include <utility>

#include "base/text.h"
#include "discovery/unary_call.h"
#include "podresources/v1.grpc.pb.h"

namespace dra_health {
namespace {

using Stub = v1::PodResourcesLister::Stub;
using Answer = v1::ListPodResourcesResponse;

// As much as the kubelet's own clients take.
constexpr std::size_t kMaxAnswerBytes = 16 << 20;

Result<std::vector<CdiIdRecord>> ToResult(const grpc::Status& status, const Answer& answer) {
  if (!status.ok()) {
    const bool not_served = status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
    return Fail(not_served ? ErrorKind::kItem : ErrorKind::kRetry, Describe(status));
  }
  std::map<DeviceKey, std::string> ids;
  for (const auto& pod : answer.pod_resources()) {
    for (const auto& container : pod.containers()) {
      for (const auto& claim : container.dynamic_resources()) {
        for (const auto& device : claim.claim_resources()) {
          if (device.cdi_devices().empty()) continue;
          ids.emplace(DeviceKey{Printable(device.driver_name()), Printable(device.pool_name()),
                                Printable(device.device_name())},
                      Printable(device.cdi_devices(0).name()));
        }
      }
    }
  }
  std::vector<CdiIdRecord> records;
  for (auto& [key, id] : ids) records.push_back({key, std::move(id)});
  return records;
}

class GrpcPodResourcesCall final : public PodResourcesCall {
 public:
  GrpcPodResourcesCall(const std::string& socket, EventQueue& queue, const Done& done)
      : call_(socket, kMaxAnswerBytes, queue,
              [done](const grpc::Status& status, const Answer& answer) {
                done(ToResult(status, answer));
              }) {}

  void Start(std::chrono::milliseconds timeout) {
    call_.Start(timeout, [this](Stub& stub, auto* context, auto* answer, auto* reactor) {
      stub.async()->List(context, &request_, answer, reactor);
    });
  }

  void Cancel() override { call_.Cancel(); }

 private:
  const v1::ListPodResourcesRequest request_;
  UnaryCall<Stub, Answer> call_;
};

}  // namespace

std::unique_ptr<PodResourcesCall> PodResourcesCall::Start(const std::string& socket,
                                                          std::chrono::milliseconds timeout,
                                                          EventQueue& queue, const Done& done) {
  auto call = std::make_unique<GrpcPodResourcesCall>(socket, queue, done);
  call->Start(timeout);
  return call;
}

}  // namespace dra_health

#include "discovery/pod_resources.h"

#include <map>
#include <utility>

#include "base/text.h"
#include "discovery/unary_call.h"
#include "podresources/v1.grpc.pb.h"

namespace dra_health {
namespace {

using Stub = v1::PodResourcesLister::Stub;
using Request = v1::ListPodResourcesRequest;
using Answer = v1::ListPodResourcesResponse;
using CdiIds = std::vector<CdiIdRecord>;

// As much as the kubelet's own clients take.
constexpr std::size_t kMaxAnswerBytes = 16 << 20;

CdiIds Convert(const Answer& answer) {
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
  CdiIds records;
  for (auto& [key, id] : ids) records.push_back({key, std::move(id)});
  return records;
}

}  // namespace

std::unique_ptr<PendingCall> ListCdiIds(const std::string& socket,
                                        std::chrono::milliseconds timeout, EventQueue& queue,
                                        std::function<void(const Result<CdiIds>&)> done) {
  return UnaryCall<Stub, Request, Answer, CdiIds>::Start(
      {socket, kMaxAnswerBytes, timeout,
       [](Stub& stub, auto* context, auto* request, auto* answer_to, auto* reactor) {
         stub.async()->List(context, request, answer_to, reactor);
       },
       Convert},
      queue, std::move(done));
}

}  // namespace dra_health

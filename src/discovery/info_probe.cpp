#include "discovery/info_probe.h"

#include <utility>

#include "discovery/unary_call.h"
#include "pluginregistration/v1.grpc.pb.h"

namespace dra_health {
namespace {

using Stub = pluginregistration::Registration::Stub;
using Request = pluginregistration::InfoRequest;
using Answer = pluginregistration::PluginInfo;

// Real answers are some hundred bytes.
constexpr std::size_t kMaxAnswerBytes = 64 << 10;

PluginInfo Convert(const Answer& sent) {
  return {.type = sent.type(),
          .name = sent.name(),
          .endpoint = sent.endpoint(),
          .services = {sent.supported_versions().begin(), sent.supported_versions().end()}};
}

}  // namespace

std::unique_ptr<PendingCall> ProbeInfo(const std::string& socket, std::chrono::milliseconds timeout,
                                       EventQueue& queue,
                                       std::function<void(const Result<PluginInfo>&)> done) {
  return UnaryCall<Stub, Request, Answer, PluginInfo>::Start(
      {socket, kMaxAnswerBytes, timeout,
       [](Stub& stub, auto* context, auto* request, auto* answer, auto* reactor) {
         stub.async()->GetInfo(context, request, answer, reactor);
       },
       Convert},
      queue, std::move(done));
}

}  // namespace dra_health

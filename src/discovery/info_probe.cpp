#include "discovery/info_probe.h"

#include <utility>

#include "discovery/unary_call.h"
#include "pluginregistration/v1.grpc.pb.h"

namespace dra_health {
namespace {

using Stub = pluginregistration::Registration::Stub;
using Answer = pluginregistration::PluginInfo;

// Real answers are some hundred bytes.
constexpr std::size_t kMaxAnswerBytes = 64 << 10;

Result<PluginInfo> ToResult(const grpc::Status& status, const Answer& sent) {
  if (!status.ok()) {
    const bool no_plugin = status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
    return Fail(no_plugin ? ErrorKind::kItem : ErrorKind::kRetry, Describe(status));
  }
  return PluginInfo{
      .type = sent.type(),
      .name = sent.name(),
      .endpoint = sent.endpoint(),
      .services = {sent.supported_versions().begin(), sent.supported_versions().end()}};
}

class GrpcInfoProbe final : public InfoProbe {
 public:
  GrpcInfoProbe(const std::string& socket, EventQueue& queue, const Done& done)
      : call_(socket, kMaxAnswerBytes, queue,
              [done](const grpc::Status& status, const Answer& answer) {
                done(ToResult(status, answer));
              }) {}

  void Start(std::chrono::milliseconds timeout) {
    call_.Start(timeout, [this](Stub& stub, auto* context, auto* answer, auto* reactor) {
      stub.async()->GetInfo(context, &request_, answer, reactor);
    });
  }

  void Cancel() override { call_.Cancel(); }

 private:
  const pluginregistration::InfoRequest request_;
  UnaryCall<Stub, Answer> call_;
};

}  // namespace

std::unique_ptr<InfoProbe> InfoProbe::Start(const std::string& socket,
                                            std::chrono::milliseconds timeout, EventQueue& queue,
                                            const Done& done) {
  auto probe = std::make_unique<GrpcInfoProbe>(socket, queue, done);
  probe->Start(timeout);
  return probe;
}

}  // namespace dra_health

#include "discovery/info_probe.h"

#include <utility>

#include <grpc/support/time.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include "discovery/rpc.h"
#include "pluginregistration/v1.grpc.pb.h"

namespace dra_health {
namespace {

// Real answers are some hundred bytes.
constexpr std::size_t kMaxAnswerBytes = 64 << 10;

Result<PluginInfo> ToResult(const grpc::Status& status,
                            const pluginregistration::PluginInfo& sent) {
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

class GrpcInfoProbe final : public InfoProbe, private grpc::ClientUnaryReactor {
 public:
  GrpcInfoProbe(const std::string& socket, EventQueue& queue, Done done)
      : queue_(queue),
        done_(std::move(done)),
        channel_(MakeChannel(socket, kMaxAnswerBytes)),
        stub_(channel_) {}

  void Start(std::chrono::milliseconds timeout) {
    // Monotonic: the wall clock may be set at just this moment.
    context_.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                       gpr_time_from_millis(timeout.count(), GPR_TIMESPAN)));
    stub_.async()->GetInfo(&context_, &request_, &answer_, this);
    StartCall();
  }

  void Cancel() override { context_.TryCancel(); }

 private:
  // The task may run, and `this` be freed, before Push has returned.
  void OnDone(const grpc::Status& status) override {
    queue_.Push(MainTask([done = done_, result = ToResult(status, answer_)] { done(result); }));
  }

  EventQueue& queue_;
  const Done done_;
  const std::shared_ptr<grpc::Channel> channel_;
  pluginregistration::Registration::Stub stub_;
  grpc::ClientContext context_;
  const pluginregistration::InfoRequest request_;
  pluginregistration::PluginInfo answer_;
};

}  // namespace

std::unique_ptr<InfoProbe> InfoProbe::Start(const std::string& socket,
                                            std::chrono::milliseconds timeout, EventQueue& queue,
                                            Done done) {
  auto probe = std::make_unique<GrpcInfoProbe>(socket, queue, std::move(done));
  probe->Start(timeout);
  return probe;
}

}  // namespace dra_health

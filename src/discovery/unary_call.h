#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <grpc/support/time.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include "base/error.h"
#include "discovery/pending_call.h"
#include "discovery/rpc.h"
#include "model/event_queue.h"

namespace dra_health {

// One unary call on a connection of its own, with an empty request. What the server answers is
// converted on gRPC's thread.
template <typename Stub, typename Request, typename Answer, typename Converted>
class UnaryCall final : public PendingCall, private grpc::ClientUnaryReactor {
 public:
  struct Options {
    std::string socket;
    std::size_t max_answer_bytes = 0;
    std::chrono::milliseconds timeout{0};
    // Starts the stub's method with this context, request, answer and reactor.
    void (*method)(Stub&, grpc::ClientContext*, const Request*, Answer*,
                   grpc::ClientUnaryReactor*) = nullptr;
    Converted (*convert)(const Answer&) = nullptr;
  };
  using Done = std::function<void(const Result<Converted>&)>;

  static std::unique_ptr<PendingCall> Start(const Options& options, EventQueue& queue, Done done) {
    auto call = std::make_unique<UnaryCall>(options, queue, std::move(done));
    // Monotonic: the wall clock may be set at just this moment.
    call->context_.set_deadline(gpr_time_add(
        gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(options.timeout.count(), GPR_TIMESPAN)));
    options.method(call->stub_, &call->context_, &call->request_, &call->answer_, call.get());
    call->StartCall();
    return call;
  }

  UnaryCall(const Options& options, EventQueue& queue, Done done)
      : convert_(options.convert),
        queue_(queue),
        done_(std::move(done)),
        channel_(MakeChannel(options.socket, options.max_answer_bytes)),
        stub_(channel_) {}

  void Cancel() override { context_.TryCancel(); }

 private:
  // The task may run, and `this` be freed, before Push has returned.
  void OnDone(const grpc::Status& status) override {
    queue_.Push(MainTask([done = done_, result = ToResult(status)] { done(result); }));
  }

  Result<Converted> ToResult(const grpc::Status& status) const {
    if (status.ok()) return convert_(answer_);
    const bool not_served = status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
    return Fail(not_served ? ErrorKind::kItem : ErrorKind::kRetry, Describe(status));
  }

  Converted (*const convert_)(const Answer&);
  EventQueue& queue_;
  const Done done_;
  const std::shared_ptr<grpc::Channel> channel_;
  Stub stub_;
  grpc::ClientContext context_;
  const Request request_;
  Answer answer_;
};

}  // namespace dra_health

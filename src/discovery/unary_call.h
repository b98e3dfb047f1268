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

#include "discovery/rpc.h"
#include "model/event_queue.h"

namespace dra_health {

// One unary call on a connection of its own.
//
// Thread: main. The owner keeps it until `done` has been called, which happens once, on main, by
// way of a MainTask, also after Cancel.
template <typename Stub, typename Answer>
class UnaryCall final : private grpc::ClientUnaryReactor {
 public:
  using Done = std::function<void(const grpc::Status&, const Answer&)>;
  // Starts the stub's method with this context, answer and reactor.
  using Method =
      std::function<void(Stub&, grpc::ClientContext*, Answer*, grpc::ClientUnaryReactor*)>;

  UnaryCall(const std::string& socket, std::size_t max_answer_bytes, EventQueue& queue, Done done)
      : queue_(queue),
        done_(std::move(done)),
        channel_(MakeChannel(socket, max_answer_bytes)),
        stub_(channel_) {}

  void Start(std::chrono::milliseconds timeout, const Method& method) {
    // Monotonic: the wall clock may be set at just this moment.
    context_.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                       gpr_time_from_millis(timeout.count(), GPR_TIMESPAN)));
    method(stub_, &context_, &answer_, this);
    StartCall();
  }

  void Cancel() { context_.TryCancel(); }

 private:
  // The task may run, and `this` be freed, before Push has returned: it takes what it needs along.
  void OnDone(const grpc::Status& status) override {
    queue_.Push(
        MainTask([done = done_, status, answer = std::make_shared<Answer>(std::move(answer_))] {
          done(status, *answer);
        }));
  }

  EventQueue& queue_;
  const Done done_;
  const std::shared_ptr<grpc::Channel> channel_;
  Stub stub_;
  grpc::ClientContext context_;
  Answer answer_;
};

}  // namespace dra_health

#include "discovery/health_stream.h"

#include <atomic>
#include <string_view>
#include <utility>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>

#include "discovery/report_converter.h"
#include "discovery/rpc.h"
#include "dra_health/v1.grpc.pb.h"

namespace dra_health {
namespace {

using Request = v1::NodeWatchResourcesRequest;
using Response = v1::NodeWatchResourcesResponse;

// Reads raw bytes and parses them itself: gRPC ends the reading when a message does not parse, but
// neither the call nor with an error. And it takes any service by name, so that there is one code
// path; for the server a call with one request is the same however the client calls it.
using Stub = grpc::TemplatedGenericStub<Request, grpc::ByteBuffer>;
using Reactor = grpc::ClientBidiReactor<Request, grpc::ByteBuffer>;

class GrpcHealthStream final : public HealthStream, private Reactor {
 public:
  GrpcHealthStream(const Options& options, EventQueue& queue, Ended ended)
      : options_(options),
        queue_(queue),
        ended_(std::move(ended)),
        channel_(MakeChannel(options.endpoint, options.max_report_bytes)),
        stub_(channel_) {}

  void Start() {
    stub_.PrepareBidiStreamingCall(&context_, "/" + options_.service + "/NodeWatchResources",
                                   grpc::StubOptions(), this);
    AddHold();  // until no more is read; main reads outside of reactions
    StartWriteLast(&request_, grpc::WriteOptions());
    StartRead(&buffer_);
    StartCall();
  }

  void ReadNext() override {
    if (main_has_turn_.exchange(false)) StartRead(&buffer_);
  }

  void Close() override {
    closing_ = true;
    context_.TryCancel();
    if (main_has_turn_.exchange(false)) RemoveHold();
  }

 private:
  void OnReadInitialMetadataDone(bool ok) override {
    if (ok) queue_.Push(event::StreamOpened{.id = options_.id});
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      RemoveHold();
      return;
    }
    Response response;
    const grpc::Status parsed =
        grpc::SerializationTraits<Response>::Deserialize(&buffer_, &response);
    buffer_.Clear();
    if (!parsed.ok()) {
      failure_ = "a report that is no NodeWatchResourcesResponse";
      context_.TryCancel();
      RemoveHold();
      return;
    }
    ConvertedReport report = ConvertReport(response, options_.max_devices);
    main_has_turn_ = true;
    // A Close that came before this did not see main's turn; one that comes after it takes it.
    if (closing_ && main_has_turn_.exchange(false)) {
      RemoveHold();
      return;
    }
    queue_.Push(event::ReportReceived{
        .id = options_.id, .devices = std::move(report.devices), .dropped = report.dropped});
  }

  // The task may run, and `this` be freed, before Push has returned.
  void OnDone(const grpc::Status& status) override {
    queue_.Push(MainTask([ended = ended_, event = ToEvent(status)] { ended(event); }));
  }

  event::StreamEnded ToEvent(const grpc::Status& status) const {
    return {.id = options_.id,
            .unimplemented = status.error_code() == grpc::StatusCode::UNIMPLEMENTED,
            .why = Why(status)};
  }

  std::string Why(const grpc::Status& status) const {
    if (!failure_.empty()) return failure_;
    if (closing_) return "closed by the agent";
    std::string why = Describe(status);
    // gRPC's own words, "Received message larger than max (20000000 vs. 16777216)"; a driver that
    // ran out of something itself has others.
    if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
        status.error_message().find("larger than max") != std::string::npos) {
      why += "; a report may have " + std::to_string(options_.max_report_bytes) + " bytes";
    }
    return why;
  }

  const Options options_;
  EventQueue& queue_;
  const Ended ended_;
  const std::shared_ptr<grpc::Channel> channel_;
  Stub stub_;
  grpc::ClientContext context_;
  const Request request_;

  // A report has been handed to main and no read is under way. Whoever sets it back to false makes
  // the one next move: read on, or give up the hold.
  std::atomic<bool> main_has_turn_ = false;
  std::atomic<bool> closing_ = false;

  // In reactions only, which never overlap.
  grpc::ByteBuffer buffer_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<HealthStream> HealthStream::Start(const Options& options, EventQueue& queue,
                                                  Ended ended) {
  auto stream = std::make_unique<GrpcHealthStream>(options, queue, std::move(ended));
  stream->Start();
  return stream;
}

}  // namespace dra_health

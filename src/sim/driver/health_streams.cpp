#include "sim/driver/health_streams.h"

#include <deque>
#include <optional>

#include <grpcpp/support/slice.h>

#include "dra_health/v1.pb.h"

namespace dra_health::sim {
namespace {

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

v1::HealthStatus ToStatus(Health health) {
  switch (health) {
    case Health::kHealthy:
      return v1::HEALTHY;
    case Health::kUnhealthy:
      return v1::UNHEALTHY;
    case Health::kUnknown:
      break;
  }
  return v1::UNKNOWN;
}

void Add(const DeviceReport& device, v1::NodeWatchResourcesResponse& report) {
  v1::DeviceHealth& health = *report.add_devices();
  health.mutable_device()->set_pool_name(device.pool);
  health.mutable_device()->set_device_name(device.device);
  health.set_health(ToStatus(device.health));
  health.set_last_updated_time(device.last_updated);
  health.set_health_check_timeout_seconds(device.lease.count());
  health.set_message(device.message);
}

}  // namespace

// One watcher. Writes one message after the other; ends when told to, after what was sent before,
// or when the watcher goes away. Frees itself.
class HealthStreams::Stream final : public Reactor {
 public:
  explicit Stream(HealthStreams& owner) : owner_(owner) {}

  void Send(const grpc::ByteBuffer& bytes) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(bytes);
    if (!writing_) Continue();
  }

  void End(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = status;
    if (!writing_) Continue();
  }

 private:
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    waiting_.pop_front();
    if (!ok) waiting_.clear();
    writing_ = false;
    Continue();
  }

  void OnCancel() override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.resize(writing_ ? 1 : 0);
    }
    End(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    owner_.Remove(this);
    delete this;
  }

  // REQUIRES: mutex_ held, no write under way.
  void Continue() {
    if (finished_) return;
    if (!waiting_.empty()) {
      writing_ = true;
      StartWrite(&waiting_.front());
    } else if (end_) {
      finished_ = true;
      Finish(*end_);
    }
  }

  HealthStreams& owner_;
  std::mutex mutex_;
  // Guarded by mutex_. The front of the queue is being written while writing_.
  std::deque<grpc::ByteBuffer> waiting_;
  bool writing_ = false;
  bool finished_ = false;
  std::optional<grpc::Status> end_;
};

HealthStreams::Reactor* HealthStreams::Open() {
  auto* const stream = new Stream(*this);
  const std::lock_guard lock(mutex_);
  streams_.insert(stream);
  ++opened_;
  stream->StartSendInitialMetadata();
  if (greet_ && !silent_) stream->Send(Everything());
  return stream;
}

void HealthStreams::Report(const std::vector<DeviceReport>& devices) {
  v1::NodeWatchResourcesResponse report;
  const std::lock_guard lock(mutex_);
  for (const DeviceReport& device : devices) {
    devices_[{device.pool, device.device}] = device;
    Add(device, report);
  }
  SendToAll(ToBuffer(report.SerializeAsString()));
}

void HealthStreams::Resend() {
  const std::lock_guard lock(mutex_);
  SendToAll(Everything());
}

void HealthStreams::SendRaw(const std::string& bytes) {
  const std::lock_guard lock(mutex_);
  SendToAll(ToBuffer(bytes));
}

void HealthStreams::SetSilent(bool silent) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(silent_, silent) && !silent) SendToAll(Everything());
}

void HealthStreams::EndAll(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  for (Stream* const stream : streams_) stream->End(status);
}

std::size_t HealthStreams::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

std::size_t HealthStreams::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void HealthStreams::Remove(Stream* stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
  ++ended_;
}

grpc::ByteBuffer HealthStreams::Everything() const {
  v1::NodeWatchResourcesResponse report;
  for (const auto& [key, device] : devices_) Add(device, report);
  return ToBuffer(report.SerializeAsString());
}

void HealthStreams::SendToAll(const grpc::ByteBuffer& bytes) {
  if (silent_) return;
  for (Stream* const stream : streams_) stream->Send(bytes);
}

}  // namespace dra_health::sim

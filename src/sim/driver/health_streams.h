#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>
#include <grpcpp/support/status.h>

#include "model/device.h"

namespace dra_health::sim {

// The health of a simulated driver's devices and the streams that watch it. Messages are raw bytes,
// so that a test can send what no generated type would.
//
// Thread: any. Outlives the server whose streams it holds.
class HealthStreams {
 public:
  using Reactor = grpc::ServerWriteReactor<grpc::ByteBuffer>;

  explicit HealthStreams(bool greet) : greet_(greet) {}

  Reactor* Open();
  void Report(const std::vector<DeviceReport>& devices);
  void Resend();
  void SendRaw(const std::string& bytes);
  void SetSilent(bool silent);
  void EndAll(const grpc::Status& status);

  std::size_t opened() const;
  std::size_t ended() const;

 private:
  class Stream;

  void Remove(Stream* stream);
  grpc::ByteBuffer Everything() const;            // REQUIRES: mutex_ held
  void SendToAll(const grpc::ByteBuffer& bytes);  // REQUIRES: mutex_ held

  const bool greet_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::pair<std::string, std::string>, DeviceReport> devices_;
  std::set<Stream*> streams_;
  bool silent_ = false;
  std::size_t opened_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace dra_health::sim

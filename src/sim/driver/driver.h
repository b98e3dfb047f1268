#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/device.h"

namespace dra_health::sim {

inline constexpr const char* kHealthV1 = "v1.DRAResourceHealth";
inline constexpr const char* kHealthV1Alpha1 = "v1alpha1.DRAResourceHealth";

struct DriverOptions {
  std::string name;
  std::filesystem::path registration_dir;  // <kubelet root>/plugins_registry, or below it
  std::filesystem::path plugins_dir;       // <kubelet root>/plugins
  // Becomes part of the socket names: two instances of one driver side by side are a rolling
  // update.
  std::string instance;
  std::vector<std::string> services{kHealthV1, kHealthV1Alpha1};  // beside v1.DRAPlugin

  // Misbehaviour.
  std::string type = "DRAPlugin";
  bool one_socket = false;   // GetInfo names no endpoint: all is on the registration socket
  bool answer_info = true;   // false: GetInfo never returns
  bool serve_health = true;  // false: health is advertised, but answered with UNIMPLEMENTED
  bool greet = true;         // false: a new stream is not sent what is known so far
};

struct DriverCounts {
  std::size_t info_calls = 0;
  std::size_t notify_calls = 0;  // NotifyRegistrationStatus; only a kubelet may call it
  std::size_t prepare_calls = 0;
  std::size_t unprepare_calls = 0;
  std::size_t streams_opened = 0;
  std::size_t streams_ended = 0;
};

// A DRA driver as seen from its sockets: registration, claims that are always prepared, and device
// health that is what it is told to be.
//
// Thread: Start, Stop and Kill one at a time; everything else from any thread. Reports may be set
// before Start and survive a restart, as hardware does.
// Failure: a failed Start leaves no socket behind.
class Driver {
 public:
  explicit Driver(DriverOptions options);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver();  // as Stop

  Result<void> Start();
  void Stop();  // takes its sockets away
  void Kill();  // leaves them behind, as SIGKILL does
  bool running() const;

  // Sends exactly these devices to every stream and remembers them for streams to come. Strings go
  // out as they are, valid UTF-8 or not.
  void Report(const std::vector<DeviceReport>& devices);
  void Resend();                           // everything known, to every stream
  void SendRaw(const std::string& bytes);  // as one message, whatever it is

  // While silent nothing is sent; Resume sends everything known.
  void Silence();
  void Resume();

  void EndStreams(int grpc_code, const std::string& message = "");

  DriverCounts counts() const;
  std::filesystem::path registration_socket() const;
  std::filesystem::path endpoint() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dra_health::sim

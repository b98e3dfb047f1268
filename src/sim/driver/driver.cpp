#include "sim/driver/driver.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "sim/driver/services.h"

namespace dra_health::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPluginService = "v1.DRAPlugin";

// gRPC removes a socket by the name it was bound to when its server ends. Bound under this name,
// which no watcher looks at, and then moved, the socket is ours to remove, or to leave behind. It
// also appears only once it listens.
fs::path BindName(const fs::path& socket) {
  return socket.parent_path() / ("." + socket.filename().native());
}

std::string WithInstance(const std::string& stem, const std::string& instance) {
  return instance.empty() ? stem : stem + "-" + instance;
}

}  // namespace

class Driver::Impl {
 public:
  explicit Impl(DriverOptions options)
      : options_(std::move(options)),
        streams_(options_.greet),
        registration_(Info(), options_.answer_info),
        health_v1_(streams_),
        health_v1alpha1_(streams_) {}

  Result<void> Start();
  void Shutdown();

  fs::path registration_socket() const {
    return options_.registration_dir /
           (WithInstance(options_.name, options_.instance) + "-reg.sock");
  }
  fs::path endpoint() const {
    if (options_.one_socket) return registration_socket();
    return options_.plugins_dir / options_.name /
           (WithInstance("dra", options_.instance) + ".sock");
  }

  // The registration socket last: whoever sees it may use the other at once.
  std::vector<fs::path> sockets() const {
    if (options_.one_socket) return {registration_socket()};
    return {endpoint(), registration_socket()};
  }

  bool running() const { return server_ != nullptr; }
  HealthStreams& streams() { return streams_; }
  DriverCounts counts() const;

 private:
  pluginregistration::PluginInfo Info() const;
  bool Serves(const char* service) const;
  void Register(grpc::ServerBuilder& builder);

  const DriverOptions options_;
  HealthStreams streams_;
  RegistrationService registration_;
  PluginService plugin_;
  HealthService<v1::DRAResourceHealth> health_v1_;
  HealthService<v1alpha1::DRAResourceHealth> health_v1alpha1_;
  std::unique_ptr<grpc::Server> server_;  // last: goes before what it serves
};

Result<void> Driver::Impl::Start() {
  if (server_) return {};
  grpc::ServerBuilder builder;
  Register(builder);
  std::error_code error;
  for (const fs::path& socket : sockets()) {
    fs::create_directories(socket.parent_path(), error);
    builder.AddListeningPort("unix:" + BindName(socket).native(),
                             grpc::InsecureServerCredentials());
  }
  server_ = builder.BuildAndStart();
  if (!server_) {
    return Fail(ErrorKind::kRetry, "driver " + options_.name + " cannot listen on " +
                                       endpoint().native() + " and " +
                                       registration_socket().native());
  }
  for (const fs::path& socket : sockets()) {
    if (!error) fs::rename(BindName(socket), socket, error);
  }
  if (!error) return {};
  Shutdown();
  for (const fs::path& socket : sockets()) fs::remove(socket, error);
  return Fail(ErrorKind::kRetry, "driver " + options_.name + " cannot make its sockets in " +
                                     options_.registration_dir.native() + ": " + error.message());
}

void Driver::Impl::Shutdown() {
  if (!server_) return;
  server_->Shutdown(std::chrono::system_clock::now());  // calls under way are cancelled
  server_.reset();
}

pluginregistration::PluginInfo Driver::Impl::Info() const {
  pluginregistration::PluginInfo info;
  info.set_type(options_.type);
  info.set_name(options_.name);
  if (!options_.one_socket) info.set_endpoint(endpoint().native());
  info.add_supported_versions(kPluginService);
  for (const std::string& service : options_.services) info.add_supported_versions(service);
  return info;
}

bool Driver::Impl::Serves(const char* service) const {
  const auto& services = options_.services;
  return options_.serve_health &&
         std::find(services.begin(), services.end(), service) != services.end();
}

void Driver::Impl::Register(grpc::ServerBuilder& builder) {
  builder.RegisterService(&registration_);
  builder.RegisterService(&plugin_);
  if (Serves(kHealthV1)) builder.RegisterService(&health_v1_);
  if (Serves(kHealthV1Alpha1)) builder.RegisterService(&health_v1alpha1_);
}

DriverCounts Driver::Impl::counts() const {
  return {.info_calls = registration_.info_calls(),
          .notify_calls = registration_.notify_calls(),
          .prepare_calls = plugin_.prepare_calls(),
          .unprepare_calls = plugin_.unprepare_calls(),
          .streams_opened = streams_.opened(),
          .streams_ended = streams_.ended()};
}

Driver::Driver(DriverOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Driver::~Driver() { Stop(); }

Result<void> Driver::Start() { return impl_->Start(); }

void Driver::Stop() {
  if (!impl_->running()) return;
  std::error_code ignored;
  for (const fs::path& socket : impl_->sockets()) fs::remove(socket, ignored);
  impl_->Shutdown();
}

void Driver::Kill() { impl_->Shutdown(); }

bool Driver::running() const { return impl_->running(); }

void Driver::Report(const std::vector<DeviceReport>& devices) { impl_->streams().Report(devices); }

void Driver::Resend() { impl_->streams().Resend(); }

void Driver::SendRaw(const std::string& bytes) { impl_->streams().SendRaw(bytes); }

void Driver::Silence() { impl_->streams().SetSilent(true); }

void Driver::Resume() { impl_->streams().SetSilent(false); }

void Driver::EndStreams(int grpc_code, const std::string& message) {
  impl_->streams().EndAll(grpc::Status(static_cast<grpc::StatusCode>(grpc_code), message));
}

DriverCounts Driver::counts() const { return impl_->counts(); }

fs::path Driver::registration_socket() const { return impl_->registration_socket(); }

fs::path Driver::endpoint() const { return impl_->endpoint(); }

}  // namespace dra_health::sim

#include "sim/api_server/api_server.h"

#include <optional>
#include <utility>

#include "sim/api_server/credentials.h"
#include "sim/api_server/json.h"
#include "sim/api_server/kubelet.h"
#include "sim/api_server/service.h"

namespace dra_health::sim {

using State = Service::State;

struct ApiServer::Impl {
  explicit Impl(ApiServerOptions given) : options(given), service(std::move(given)) {
    if (!options.tokens.empty()) token = options.tokens.front();
  }

  Access access() const {
    Access access;
    const bool v6 = options.address.find(':') != std::string::npos;
    access.url = std::string(options.tls ? "https" : "http") + "://" +
                 (v6 ? "[" + options.address + "]" : options.address) + ":" +
                 std::to_string(service.port());
    access.token = service.Read([this](const State&) { return token; });
    access.certificates = certificates.get();
    access.client_certificate = options.require_client_certificate;
    return access;
  }

  const ApiServerOptions options;
  std::string token;                                // protected by the service's lock
  std::unique_ptr<CertificateFolder> certificates;  // made at the first Start, then constant
  Service service;
};

ApiServer::ApiServer(ApiServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
ApiServer::~ApiServer() = default;

Result<void> ApiServer::Start() {
  if (impl_->options.tls && !impl_->certificates) {
    auto folder = MakeCertificates().and_then(CertificateFolder::Create);
    if (!folder) return tl::unexpected(folder.error());
    impl_->certificates = std::make_unique<CertificateFolder>(std::move(*folder));
  }
  std::optional<Certificates> tls;
  if (impl_->certificates) tls = impl_->certificates->certificates();
  return impl_->service.Start(tls);
}

void ApiServer::Stop() { impl_->service.Stop(); }

std::uint16_t ApiServer::port() const { return impl_->service.port(); }
std::string ApiServer::url() const { return impl_->access().url; }

std::filesystem::path ApiServer::ca_file() const {
  return impl_->certificates ? impl_->certificates->ca_file() : std::filesystem::path();
}
std::filesystem::path ApiServer::client_certificate_file() const {
  return impl_->certificates ? impl_->certificates->client_certificate_file()
                             : std::filesystem::path();
}
std::filesystem::path ApiServer::client_key_file() const {
  return impl_->certificates ? impl_->certificates->client_key_file() : std::filesystem::path();
}

Result<void> ApiServer::WriteKubeconfig(const std::filesystem::path& path,
                                        KubeconfigForm form) const {
  return WriteKubeconfigFile(path, impl_->access(), form);
}

Result<void> ApiServer::WriteServiceAccount(const std::filesystem::path& folder) const {
  return WriteServiceAccountFolder(folder, impl_->access());
}

void ApiServer::SetTokens(std::vector<std::string> tokens) {
  impl_->service.Change([&](State& state) {
    impl_->token = tokens.empty() ? std::string() : tokens.front();
    state.core.SetTokens(std::move(tokens));
  });
}

void ApiServer::SetResourceHealthStatus(bool on) {
  impl_->service.Change([&](State& state) { state.core.rules().resource_health_status = on; });
}
void ApiServer::SetResourceHealthStatusMessage(bool on) {
  impl_->service.Change(
      [&](State& state) { state.core.rules().resource_health_status_message = on; });
}
void ApiServer::SetGuard(bool on) {
  impl_->service.Change([&](State& state) { state.core.rules().guard = on; });
}

void ApiServer::PutNode(const std::string& name) {
  impl_->service.Change(
      [&](State& state) { state.core.store().Put(Kind::kNode, {{"metadata", {{"name", name}}}}); });
}
void ApiServer::PutPod(const std::string& json) {
  impl_->service.Change(
      [&](State& state) { state.core.store().Put(Kind::kPod, Json::parse(json)); });
}
void ApiServer::PutClaim(const std::string& json) {
  impl_->service.Change(
      [&](State& state) { state.core.store().Put(Kind::kClaim, Json::parse(json)); });
}
bool ApiServer::DeletePod(const std::string& namespace_name, const std::string& name) {
  return impl_->service.Change(
      [&](State& state) { return state.core.store().Delete({Kind::kPod, namespace_name, name}); });
}
bool ApiServer::DeleteClaim(const std::string& namespace_name, const std::string& name) {
  return impl_->service.Change([&](State& state) {
    return state.core.store().Delete({Kind::kClaim, namespace_name, name});
  });
}

std::string ApiServer::GetPod(const std::string& namespace_name, const std::string& name) const {
  const ObjectPtr pod = impl_->service.Read([&](const State& state) {
    return state.core.store().Get({Kind::kPod, namespace_name, name});
  });
  return pod ? pod->dump() : "";
}

std::int64_t ApiServer::resource_version() const {
  return impl_->service.Read([](const State& state) { return state.core.store().version(); });
}

void ApiServer::Compact() {
  impl_->service.Change([](State& state) { state.core.store().Compact(); });
}

bool ApiServer::RevertField(const std::string& namespace_name, const std::string& name) {
  return impl_->service.Change([&](State& state) {
    return state.core.WriteAsNode(namespace_name, name, WithoutClaimEntries);
  });
}

bool ApiServer::OverwriteField(const std::string& namespace_name, const std::string& name,
                               const std::string& container, const std::string& list_json) {
  return impl_->service.Change([&](State& state) {
    return state.core.WriteAsNode(namespace_name, name, [&](Json pod) {
      return WithList(std::move(pod), container, Json::parse(list_json));
    });
  });
}

bool ApiServer::EndPod(const std::string& namespace_name, const std::string& name, int exit_code) {
  return impl_->service.Change([&](State& state) {
    return state.core.WriteAsNode(namespace_name, name, [&](Json pod) {
      return Ended(std::move(pod), exit_code, FormatTime(SystemClock().Now().wall));
    });
  });
}

void ApiServer::AddFault(Fault fault) {
  impl_->service.Change([&](State& state) { state.core.faults().Add(std::move(fault)); });
}
void ApiServer::ClearFaults() {
  impl_->service.Change([](State& state) { state.core.faults().Clear(); });
}

std::size_t ApiServer::BreakWatches(FaultKind kind) {
  if (kind == FaultKind::kCut) return impl_->service.CutWatches();
  return impl_->service.Change([&](State& state) { return state.streams.Break(kind); });
}

void ApiServer::CutConnections() { impl_->service.CutConnections(); }

void ApiServer::SendBookmarks() {
  impl_->service.Change([](State& state) { state.streams.SendBookmarks(); });
}

std::size_t ApiServer::open_watches() const {
  return impl_->service.Read([](const State& state) { return state.streams.watches(); });
}

std::vector<LoggedRequest> ApiServer::Requests() const {
  return impl_->service.Read([](const State& state) { return state.log.all(); });
}
std::size_t ApiServer::Count(const std::string& verb, const std::string& resource) const {
  return impl_->service.Read([&](const State& state) { return state.log.Count(verb, resource); });
}
void ApiServer::ClearRequests() {
  impl_->service.Change([](State& state) { state.log.Clear(); });
}

bool ApiServer::WaitForRequests(
    const std::function<bool(const std::vector<LoggedRequest>&)>& predicate,
    std::chrono::milliseconds timeout) const {
  return impl_->service.Wait(timeout,
                             [&](const State& state) { return predicate(state.log.all()); });
}

bool ApiServer::WaitForCount(const std::string& verb, const std::string& resource,
                             std::size_t at_least, std::chrono::milliseconds timeout) const {
  return impl_->service.Wait(
      timeout, [&](const State& state) { return state.log.Count(verb, resource) >= at_least; });
}

bool ApiServer::WaitForPod(const std::string& namespace_name, const std::string& name,
                           const std::function<bool(const std::string&)>& predicate,
                           std::chrono::milliseconds timeout) const {
  return impl_->service.Wait(timeout, [&](const State& state) {
    const ObjectPtr pod = state.core.store().Get({Kind::kPod, namespace_name, name});
    return predicate(pod ? pod->dump() : "");
  });
}

bool ApiServer::WaitForWatches(std::size_t exactly, std::chrono::milliseconds timeout) const {
  return impl_->service.Wait(
      timeout, [&](const State& state) { return state.streams.watches() == exactly; });
}

}  // namespace dra_health::sim

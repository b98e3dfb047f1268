#include "sim/driver/services.h"

namespace dra_health::sim {
namespace {

// Waits for the caller to give up.
class NeverAnswers final : public grpc::ServerUnaryReactor {
 private:
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

grpc::ServerUnaryReactor* Ok(grpc::CallbackServerContext* context) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* RegistrationService::GetInfo(
    grpc::CallbackServerContext* context, const pluginregistration::InfoRequest* /*request*/,
    pluginregistration::PluginInfo* info) {
  ++info_calls_;
  if (!answers_) return new NeverAnswers;
  *info = info_;
  return Ok(context);
}

grpc::ServerUnaryReactor* RegistrationService::NotifyRegistrationStatus(
    grpc::CallbackServerContext* context, const pluginregistration::RegistrationStatus* /*status*/,
    pluginregistration::RegistrationStatusResponse* /*response*/) {
  ++notify_calls_;
  return Ok(context);
}

grpc::ServerUnaryReactor* PluginService::NodePrepareResources(
    grpc::CallbackServerContext* context, const dra::NodePrepareResourcesRequest* request,
    dra::NodePrepareResourcesResponse* response) {
  ++prepare_calls_;
  for (const auto& claim : request->claims()) (*response->mutable_claims())[claim.uid()];
  return Ok(context);
}

grpc::ServerUnaryReactor* PluginService::NodeUnprepareResources(
    grpc::CallbackServerContext* context, const dra::NodeUnprepareResourcesRequest* request,
    dra::NodeUnprepareResourcesResponse* response) {
  ++unprepare_calls_;
  for (const auto& claim : request->claims()) (*response->mutable_claims())[claim.uid()];
  return Ok(context);
}

}  // namespace dra_health::sim

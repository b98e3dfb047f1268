#include "discovery/rpc.h"

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <spdlog/spdlog.h>

#include "base/text.h"

namespace dra_health {
namespace {

// Bounds how long a peer that accepts and then says nothing, or no HTTP/2, holds an attempt.
constexpr int kConnectTimeoutMs = 5'000;
constexpr std::size_t kMaxDescription = 512;

// By number, as in grpc/status.h.
constexpr std::array<std::string_view, 17> kCodeNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

std::string CodeName(int code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kCodeNames.size() ? std::string(kCodeNames[index])
                                   : "code " + std::to_string(code);
}

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/-._~").find(c) != std::string_view::npos;
}

}  // namespace

void RouteGrpcLog() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    spdlog::debug("gRPC, {}:{}: {}", line->file, line->line, Printable(line->message));
  });
}

std::string UnixTarget(const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string target = "unix:";
  for (const char c : path) {
    if (IsPlain(c)) {
      target += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    target += {'%', kHex[byte >> 4], kHex[byte & 0xF]};
  }
  return target;
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& path, std::size_t max_receive_bytes) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Otherwise the path is sent as :authority, percent-encoded, which strict servers refuse.
  arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  arguments.SetMaxReceiveMessageSize(
      static_cast<int>(std::min<std::size_t>(max_receive_bytes, INT_MAX)));
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeoutMs);
  // A proxy from the environment has no business with a local socket.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // No keepalive: Go servers answer pings more often than every 5 minutes with GOAWAY. A driver
  // that hangs is caught by the leases of its devices.
  return grpc::CreateCustomChannel(UnixTarget(path), grpc::InsecureChannelCredentials(), arguments);
}

std::string Describe(const grpc::Status& status) {
  std::string text = CodeName(status.error_code());
  if (const auto message = Printable(status.error_message()); !message.empty()) {
    text += ": " + message;
  }
  return CutBytes(text, kMaxDescription);
}

}  // namespace dra_health

#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/api_server/watch_stream.h"

namespace dra_health::sim {

// HTTP as far as the core sees it; carried over a socket by the front, or handed over directly.
struct ApiRequest {
  std::string method;
  std::string path;  // decoded
  std::map<std::string, std::string> query;
  std::string target;  // path and query as sent, for the log and for faults
  std::string content_type;
  std::optional<std::string> token;
  std::string body;
};

enum class Delivery { kWhole, kCut, kHang, kDrip, kTruncate };

struct ApiResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::chrono::seconds retry_after{0};  // 0: no such header
  // The answer goes on for as long as this does; `body` is empty then.
  std::unique_ptr<WatchStream> watch;
  // How the answer is to be spoilt on its way.
  Delivery delivery = Delivery::kWhole;
  std::chrono::milliseconds interval{0};  // kDrip
};

}  // namespace dra_health::sim

#include "patcher/reason_log.h"

#include <spdlog/spdlog.h>

namespace dra_health {

void ReasonLog::Warn(const std::string& reason) {
  if (reason == said_) return;
  said_ = reason;
  spdlog::warn("{}", reason);
}

void ReasonLog::Error(const std::string& reason) {
  if (reason == said_) return;
  said_ = reason;
  spdlog::error("{}", reason);
}

void ReasonLog::Clear(const std::string& what) {
  if (said_.empty()) return;
  said_.clear();
  spdlog::info("{}", what);
}

}  // namespace dra_health

#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "patcher/credentials.h"

namespace dra_health {

// The bearer token. One that stands in a file expires and is replaced there (after an hour, in a
// pod: kubernetes/kubernetes#68164), so the file is read again by age; while it cannot be read the
// last good token is used.
//
// Thread: any, for every method.
class TokenSource {
 public:
  static constexpr std::chrono::seconds kMaxAge{60};

  explicit TokenSource(TextSource source);

  // Empty: there is none.
  std::string Current(BootTime now);
  // The server refused the current one.
  void Reread(BootTime now);

 private:
  void Read(BootTime now);

  const TextSource source_;

  std::mutex mutex_;  // guards what follows
  std::string token_;
  BootTime read_at_ = BootTime::min();
  bool said_unreadable_ = false;
};

}  // namespace dra_health

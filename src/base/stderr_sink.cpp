#include "base/stderr_sink.h"

#include <poll.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace dra_health {
namespace {

bool TakesMore(std::chrono::milliseconds patience) {
  pollfd polled{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&polled, 1, static_cast<int>(patience.count())) != 0;
}

}  // namespace

void StderrSink::sink_it_(const spdlog::details::log_msg& message) {
  if (!TakesMore(lost_ == 0 ? kPatience : std::chrono::milliseconds{0})) {
    ++lost_;
    return;
  }
  if (const std::size_t lost = std::exchange(lost_, 0); lost > 0) {
    const std::string text = std::to_string(lost) + " lines of this log are lost: nobody read it";
    out_.log({message.logger_name, spdlog::level::warn, text});
  }
  out_.log(message);
}

}  // namespace dra_health

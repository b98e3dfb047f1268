#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

namespace dra_health {

// Standard error, in colour on a terminal. Where it is a pipe or a socket that nobody reads, a line
// waits for kPatience and is then lost, and so are those after it until somebody reads again: the
// log then says how many. The process must neither hang nor fail to stop for its log; a terminal
// that nobody reads does hold it up: it has room as soon as one byte fits.
//
// Thread: any.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  static constexpr std::chrono::milliseconds kPatience{200};

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override { out_.flush(); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    out_.set_formatter(std::move(formatter));
  }

 private:
  spdlog::sinks::stderr_color_sink_st out_;
  std::size_t lost_ = 0;  // lines, since the last that was taken
};

}  // namespace dra_health

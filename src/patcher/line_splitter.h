#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace dra_health {

// Cuts a stream of bytes into lines. One thread.
class LineSplitter {
 public:
  // Far above the 1.5 MiB that etcd stores of one object; a bound, not a budget.
  static constexpr std::size_t kMaxLine = 16u << 20;

  enum class State { kMore, kEnded, kTooLong };

  // Calls `on_line` for each complete line that is not empty; it returns false to end the stream.
  State Feed(std::string_view data, const std::function<bool(std::string_view)>& on_line) {
    for (std::size_t end = 0; (end = data.find('\n')) != std::string_view::npos;) {
      const std::string_view piece = data.substr(0, end);
      data.remove_prefix(end + 1);
      const std::string line = std::exchange(rest_, {}).append(piece);
      if (!line.empty() && !on_line(line)) return State::kEnded;
    }
    if (rest_.size() + data.size() > kMaxLine) return State::kTooLong;
    rest_.append(data);
    return State::kMore;
  }

  bool inside_line() const { return !rest_.empty(); }

 private:
  std::string rest_;  // the beginning of a line
};

}  // namespace dra_health

#pragma once

#include <string>

namespace dra_health {

// One thing that may go wrong, said once per reason and not once per attempt. One thread.
class ReasonLog {
 public:
  // Logs unless this is what was said last.
  void Warn(const std::string& reason);
  void Error(const std::string& reason);
  // It is in order again: says so if something was wrong.
  void Clear(const std::string& what);

 private:
  std::string said_;
};

}  // namespace dra_health

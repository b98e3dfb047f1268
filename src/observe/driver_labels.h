#pragma once

#include <set>
#include <string>

namespace dra_health {

// The drivers that have series of their own: the first ones seen. One thread.
class DriverLabels {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr const char* kOther = "other";

  std::string Of(const std::string& driver) {
    if (named_.contains(driver)) return driver;
    if (named_.size() >= kMost) return kOther;
    named_.insert(driver);
    return driver;
  }

 private:
  std::set<std::string> named_;
};

}  // namespace dra_health

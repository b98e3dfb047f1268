#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/api_server/api_server.h"

namespace dra_health::sim {

// The requests as they were answered, in order. Not synchronised.
class RequestLog {
 public:
  void Add(LoggedRequest request) { requests_.push_back(std::move(request)); }
  void Clear() { requests_.clear(); }
  const std::vector<LoggedRequest>& all() const { return requests_; }

  // Those of a verb, and of a resource unless that is empty.
  std::size_t Count(const std::string& verb, const std::string& resource) const {
    return static_cast<std::size_t>(
        std::count_if(requests_.begin(), requests_.end(), [&](const LoggedRequest& request) {
          return request.verb == verb && (resource.empty() || request.resource == resource);
        }));
  }

 private:
  std::vector<LoggedRequest> requests_;
};

}  // namespace dra_health::sim

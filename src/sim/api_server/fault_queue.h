#pragma once

#include <list>
#include <optional>
#include <string>
#include <utility>

#include "sim/api_server/fault.h"
#include "sim/api_server/http_message.h"
#include "sim/api_server/route.h"

namespace dra_health::sim {

// The faults that are still to happen. Not synchronised.
class FaultQueue {
 public:
  void Add(Fault fault) { faults_.push_back(std::move(fault)); }
  void Clear() { faults_.clear(); }
  // The first one that fits, used up by one; none: all goes well.
  std::optional<Fault> Take(const std::string& verb, const std::string& target);

 private:
  std::list<Fault> faults_;
};

// The answer that stands for what was asked, or none for faults that only spoil its delivery.
std::optional<ApiResponse> AnswerOf(const Fault& fault, const Route& route);
Delivery DeliveryOf(FaultKind kind);
bool BreaksWatches(FaultKind kind);

}  // namespace dra_health::sim

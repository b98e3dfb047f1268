#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "model/effect.h"
#include "model/event.h"
#include "observe/observation.h"

namespace dra_health {

// The agent's numbers for Prometheus; docs/metrics.md lists them.
//
// What happens is counted as it happens; what is the case is set when somebody looks. The number of
// series has a bound: no label names a pod or a device, and drivers beyond the first 64 share one.
//
// Thread: the loop for all but Text, which is for any.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  void Saw(const Event& event);
  void Saw(const Effects& effects);
  void StoreWritten(std::chrono::nanoseconds took);
  void Set(const Observation& observation);

  // In Prometheus' text format.
  std::string Text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dra_health

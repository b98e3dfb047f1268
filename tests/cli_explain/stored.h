#pragma once

#include "tests/cache/records.h"

namespace dra_health {

// A pod of which the container failed 12 s after its device, and an earlier pod of its name. The
// agent was last alive at 1000.
inline Writes FailedPod() {
  PodRecord failed = SomePod("uid-2", "train-0");
  failed.first_seen = At(95);
  PodRecord before = SomePod("uid-1", "train-0");
  before.first_seen = At(10);
  before.deleted = At(60);
  AllocationRecord over = SomeAllocation("uid-1", Gpu("gpu-0"), 11);
  over.to = At(60);
  Transition broken = Change(Gpu("gpu-0"), Health::kHealthy, Health::kUnhealthy, 188);
  broken.message = "Xid 79 <gone> & \x1b[31m";
  return {Alive(1000),
          SomeDriver("gpu.example.com", DriverState::kStreaming),
          Device(Gpu("gpu-0"), Health::kUnhealthy, 188),
          Device({"nic.example.com", "rack/7", "port"}, Health::kHealthy),
          Device({"nic.example.com", "rack", "7/port"}, Health::kHealthy),
          failed,
          before,
          over,
          SomeAllocation("uid-2", Gpu("gpu-0"), 96),
          RunOf("uid-1", 0, 20, 50, 0),
          RunOf("uid-2", 0, 100, 150, 1),
          RunOf("uid-2", 1, 160, 200, 137),
          Change(Gpu("gpu-0"), Health::kUnknown, Health::kHealthy, 5),
          broken};
}

}  // namespace dra_health

#pragma once

namespace dra_health {

// A call to somebody else's socket that is under way. Its `done` is called once, on main, by way of
// a MainTask, also after Cancel.
//
// Thread: main. The owner keeps it until `done` has been called.
class PendingCall {
 public:
  virtual ~PendingCall() = default;
  virtual void Cancel() = 0;
};

}  // namespace dra_health

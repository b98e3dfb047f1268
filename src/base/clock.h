#pragma once

#include <chrono>
#include <string>

namespace dra_health {

// CLOCK_BOOTTIME: never jumps, goes on during suspend. All ageing uses it.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
};
using BootTime = BootClock::time_point;

// Wall time is shown to people and stored; nothing is ever aged by it.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

struct Moment {
  BootTime boot;
  WallTime wall;
};

// Time is injected so that no test sleeps. Implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Moment Now() const override;
};

// Moves only when told to. One thread.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Moment start = {BootTime{std::chrono::hours{1}},
                                     WallTime{std::chrono::seconds{1'800'000'000}}})
      : now_(start) {}
  Moment Now() const override { return now_; }
  void Advance(std::chrono::nanoseconds by) {
    now_.boot += by;
    now_.wall += std::chrono::duration_cast<std::chrono::milliseconds>(by);
  }
  // The wall clock is stepped by NTP or an operator; the boot clock is not.
  void StepWall(std::chrono::milliseconds by) { now_.wall += by; }

 private:
  Moment now_;
};

// /proc/sys/kernel/random/boot_id, or "" where it cannot be read.
std::string ReadBootId();

// RFC 3339 in UTC with seconds, the form metav1.Time has: 2026-11-30T12:00:00Z.
std::string FormatTime(WallTime time);
// The same with milliseconds: 2026-11-30T12:00:00.123Z.
std::string FormatTimeMillis(WallTime time);

}  // namespace dra_health

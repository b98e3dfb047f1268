#include "agent/stop_signals.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace dra_health {

namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

}  // namespace

void BlockStopSignals() {
  const sigset_t signals = StopSignals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

UniqueFd CatchStopSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write that fails is a full disk
  BlockStopSignals();
  const sigset_t signals = StopSignals();
  UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  // Without it the process could only be killed; it happens when it is out of descriptors at start.
  if (!fd) throw std::system_error(errno, std::generic_category(), "signalfd");
  return fd;
}

}  // namespace dra_health

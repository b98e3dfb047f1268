#include "tests/cache/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace dra_health {

Child::Child(const std::function<void(int pipe)>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  pipe_ = UniqueFd(ends[0]);
  const UniqueFd to_parent(ends[1]);
  pid_ = ::fork();
  if (pid_ < 0) std::abort();
  if (pid_ > 0) return;
  work(to_parent.get());
  ::_exit(0);
}

std::string Child::Read(std::size_t size) {
  std::string text;
  char c = 0;
  while (text.size() < size && ::read(pipe_.get(), &c, 1) == 1) text += c;
  return text;
}

void Child::Kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

}  // namespace dra_health

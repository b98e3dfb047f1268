#include <fcntl.h>
#include <unistd.h>

#include "cli/commands.h"

namespace {

// The number of a closed standard stream would go to a store or a socket, and log lines into it.
void FillStandardStreams() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  FillStandardStreams();
  return dra_health::Main(argc, argv);
}

// Hands a target each file of a folder: what was found once is tested with any compiler.
#include <cstdio>
#include <filesystem>

#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      dra_health::FuzzOne(dra_health::FileContent(entry.path()));
      ++count;
    }
  }
  return count == 0 ? 1 : 0;
}

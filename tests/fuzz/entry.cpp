// The entry that libFuzzer calls.
#include <cstddef>
#include <cstdint>

#include <spdlog/spdlog.h>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  spdlog::set_level(spdlog::level::off);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dra_health::FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}

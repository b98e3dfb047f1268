#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/record.h"

namespace dra_health {

// A store as it lies on the disk.
struct StoreImage {
  std::string file;
  std::string wal;  // empty: there is none

  void WriteTo(const std::filesystem::path& path) const;
};

// What an input stands for. Its first byte: 1: edits of a sound store that was closed; 2: of one
// whose agent was killed, file and WAL in a row; 3: of one of the first schema version. Others: the
// input is the file. An edit is an offset of three bytes, a length of one, and as many bytes; of
// length 0 it cuts the image off there.
StoreImage DecodeStoreImage(std::string_view input);

// Soon after what the images tell.
WallTime ImageTime();

// That a device of none of the images turned Unhealthy; kNewDevice names it in full.
std::vector<StoreWrite> NewRecords();
inline constexpr const char* kNewDevice = "gpu.example.com/node-1/new";

}  // namespace dra_health

#include "tests/fuzz/store_image.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cache/schema.h"
#include "cache/sql.h"
#include "cache/store.h"
#include "tests/cache/records.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

Writes SomeHistory() {
  Writes writes{Alive(1), SomeDriver("gpu.example.com", DriverState::kStreaming)};
  for (const char* name : {"gpu-0", "gpu-1", "gpu-2"}) {
    writes.emplace_back(Device(Gpu(name), Health::kHealthy));
    writes.emplace_back(Change(Gpu(name), Health::kHealthy, Health::kUnhealthy, 1));
    writes.emplace_back(CdiIdRecord{Gpu(name), std::string("example.com/gpu=") + name});
  }
  writes.emplace_back(SomePod("uid-1", "train"));
  AllocationRecord held = SomeAllocation("uid-1", Gpu("gpu-0"), 1);
  held.last = {{Health::kUnhealthy, UnknownReason::kNone, "hot", At(1)}, true, true};
  writes.emplace_back(std::move(held));
  FieldDifference difference{.container = "train",
                             .entry = "claim:gpus",
                             .resource_id = "gpu.example.com/node-1/gpu-0",
                             .ours = Health::kHealthy};
  difference.reason = "late";
  writes.emplace_back(FieldDifferences{"uid-1", {{difference, At(2)}}});
  return writes;
}

StoreImage Read(const std::filesystem::path& path) {
  return {FileContent(path), FileContent(path.string() + "-wal")};
}

StoreImage MakeImage(bool closed) {
  const TempFolder folder;
  const auto path = folder / "health.db";
  auto opened = Store::Open(path);
  Require(opened && opened->store->Apply(SomeHistory()), "a store can be made");
  if (closed) opened->store.reset();
  return Read(path);
}

StoreImage MakeOldImage() {
  const TempFolder folder;
  const auto path = folder / "health.db";
  {
    auto database = sql::Database::Open(path.string(), sql::Database::Mode::kWrite);
    Require(database && schema::Migrate(*database, schema::Migrations().first(1)) &&
                database->Execute("INSERT INTO device_names VALUES (1, 'd', 'p', 'gpu-0');"
                                  "INSERT INTO devices VALUES (1, 'Healthy', '', '', 0, 30, 0)"),
            "a store of the first version can be made");
  }
  return Read(path);
}

std::size_t TakeByte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

StoreImage Edited(const StoreImage& image, std::string_view edits) {
  std::string bytes = image.file + image.wal;
  while (!edits.empty() && !bytes.empty()) {
    std::size_t offset = TakeByte(edits);
    offset = offset << 8 | TakeByte(edits);
    offset = (offset << 8 | TakeByte(edits)) % bytes.size();
    const std::string_view change = edits.substr(0, TakeByte(edits));
    edits.remove_prefix(std::min(change.size(), edits.size()));
    if (change.empty()) {
      bytes.resize(offset);
    } else {
      std::copy_n(change.begin(), std::min(change.size(), bytes.size() - offset),
                  bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    }
  }
  const std::size_t size = std::min(image.file.size(), bytes.size());
  return {bytes.substr(0, size), bytes.substr(size)};
}

}  // namespace

void StoreImage::WriteTo(const std::filesystem::path& path) const {
  WriteFile(path, file);
  if (!wal.empty()) WriteFile(path.string() + "-wal", wal);
}

WallTime ImageTime() { return At(100); }

std::vector<StoreWrite> NewRecords() {
  return {Device(Gpu("new"), Health::kUnhealthy),
          Change(Gpu("new"), Health::kHealthy, Health::kUnhealthy, 5)};
}

StoreImage DecodeStoreImage(std::string_view input) {
  static const StoreImage closed = MakeImage(true);
  static const StoreImage killed = MakeImage(false);
  static const StoreImage old = MakeOldImage();
  std::string_view edits = input;
  switch (TakeByte(edits)) {
    case 1:
      return Edited(closed, edits);
    case 2:
      return Edited(killed, edits);
    case 3:
      return Edited(old, edits);
    default:
      return {std::string(input), ""};
  }
}

}  // namespace dra_health

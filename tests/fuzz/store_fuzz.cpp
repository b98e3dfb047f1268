// A store file, sound or not: whoever reads it leaves no trace, the agent that opens it soon writes
// again, and what cannot be used is kept beside.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cache/store.h"
#include "cache/store_keeper.h"
#include "cache/store_reader.h"
#include "cli/cache_json.h"
#include "cli/cache_tables.h"
#include "reconciler/reconciler.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/store_image.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

namespace fs = std::filesystem;

void CheckJson(const std::string& json) {
  Require(nlohmann::json::accept(json), "JSON is JSON", json);
}

template <typename Record>
void CheckShown(const Result<std::vector<Record>>& records) {
  if (!records) return;
  CheckJson(ToJson(*records));
  std::ostringstream out;
  ToTable(*records, /*wide=*/true, ImageTime()).Print(out, {.width = 80, .colour = false});
  Require(IsUtf8(out.str()), "a table is UTF-8", out.str());
}

// All that `cache` shows of it.
void CheckReading(const fs::path& path) {
  auto reader = StoreReader::Open(path);
  if (!reader) return RequirePrintable(reader.error().message);
  CheckShown(reader->Devices({}));
  CheckShown(reader->Drivers({}));
  CheckShown(reader->Pods({}));
  CheckShown(reader->Transitions({.since = ImageTime() - std::chrono::hours{1}}, 100));
  CheckShown(reader->Differences({.health = Health::kHealthy}));
  if (const auto info = reader->Info()) {
    CheckJson(ToJson(*info));
    Require(!ToText(*info, ImageTime()).empty(), "a store is described");
  }
  static_cast<void>(reader->Visit([](const StoredRecord& record) {
    CheckJson(ToJsonLine(record));
    return true;
  }));
}

// SetUp may have switched the file to WAL mode: change counters, page count and format versions
// differ, and a file that ended within its first page is filled up with NULs.
std::string WithoutSetUp(std::string file) {
  for (const auto& [from, to] : {std::pair{18, 20}, {24, 32}, {92, 100}}) {
    for (std::size_t i = from; i < std::min<std::size_t>(to, file.size()); ++i) file[i] = '\0';
  }
  file.erase(file.find_last_not_of('\0') + 1);
  return file;
}

// The agent's memory from its start on.
class Agent {
 public:
  Agent(fs::path path, const StoreImage& before)
      : path_(std::move(path)), before_(WithoutSetUp(before.file)) {}

  // False: refused, as another program's file is.
  bool Start() {
    const auto stored = keeper_.Start();
    if (!stored) {
      Require(stored.error().kind == ErrorKind::kFatal, "a passing failure does not end the agent");
      return false;
    }
    Apply(reconciler_.Restore(*stored, clock_.Now()).writes);
    return true;
  }

  void Run() {
    for (int i = 0; i < 2; ++i) {
      clock_.Advance(std::chrono::seconds{31});
      Apply(reconciler_.Handle(event::Tick{}, clock_.Now()).writes);
      keeper_.Prune(ImageTime() - std::chrono::hours{1}, 1 << 20);
    }
    Apply(NewRecords());
    Require(keeper_.durable(), "a store is written in the end", keeper_.last_error());
  }

 private:
  void Apply(const std::vector<StoreWrite>& writes) { keeper_.Apply(writes); }

  Result<Store::Opened> Open() {
    auto opened = Store::Open(path_);
    if (opened && !opened->moved_aside.empty() && !moved_) {
      moved_ = true;
      Require(WithoutSetUp(FileContent(opened->moved_aside)) == before_,
              "a file that is moved aside is as it was", opened->moved_why);
    }
    return opened;
  }

  const fs::path path_;
  const std::string before_;
  bool moved_ = false;
  FakeClock clock_;
  StoreKeeper keeper_{[this] { return Open(); }, clock_, [](const effect::Notice&) {}, {.seed = 1}};
  Reconciler reconciler_{Settings{}, "boot-1", 1};
};

// False: damage has been found that opening does not look for.
bool IsWritten(const fs::path& path) {
  auto reader = StoreReader::Open(path);
  Require(reader.has_value(), "a store can be read", reader ? "" : reader.error().message);
  const auto devices = reader->Devices({.device = kNewDevice});
  if (!devices) {
    Require(devices.error().kind == ErrorKind::kFatal, "nothing but damage keeps from reading",
            devices.error().message);
    return false;
  }
  Require(devices->size() == 1 && devices->front().record.health.health == Health::kUnhealthy,
          "what was written is read");
  return true;
}

// False: refused, as another program's file is.
bool RunAgent(const fs::path& path, const StoreImage& before) {
  Agent agent(path, before);
  if (!agent.Start()) return false;
  agent.Run();
  return true;
}

}  // namespace

void FuzzOne(std::string_view input) {
  static const TempFolder parent;
  const fs::path folder = parent / "store";
  const fs::path path = folder / "health.db";
  fs::remove_all(folder);
  fs::create_directory(folder);
  const StoreImage image = DecodeStoreImage(input);
  image.WriteTo(path);
  const auto before = FolderContent(folder);

  CheckReading(path);
  Require(FolderContent(folder) == before, "reading leaves no trace");

  if (!RunAgent(path, image)) {
    return Require(FileContent(path) == image.file, "another program's file stays as it is");
  }
  if (IsWritten(path)) return;
  Require(RunAgent(path, {.file = FileContent(path), .wal = ""}), "an agent starts again");
  Require(IsWritten(path), "damage is noticed at the next start");
}

}  // namespace dra_health

#include <gtest/gtest.h>
#include <unistd.h>

#include "cache/store.h"
#include "tests/cache/child.h"
#include "tests/cache/opened_store.h"
#include "tests/cache/raw_sql.h"
#include "tests/cache/records.h"
#include "tests/support/temp_folder.h"

namespace dra_health {
namespace {

constexpr int kBatch = 50;

// One batch: `kBatch` transitions at second `number`.
Writes Batch(int number) {
  Writes writes;
  for (int i = 0; i < kBatch; ++i) {
    writes.emplace_back(
        Change(Gpu("gpu-" + std::to_string(i)), Health::kHealthy, Health::kUnhealthy, number));
  }
  return writes;
}

// Writes batch after batch and a byte down the pipe for each that Apply called durable.
void WriteForEver(const std::filesystem::path& path, int first, int pipe) {
  const auto opened = Store::Open(path);
  if (!opened) return;
  for (int number = first;; ++number) {
    if (!opened->store->Apply(Batch(number)) || ::write(pipe, "x", 1) != 1) return;
  }
}

TEST(StoreKillTest, KilledWriterLeavesWholeBatchesAndEveryOneThatWasAcknowledged) {
  const TempFolder folder;
  const auto path = folder / "health.db";
  int acknowledged = 0;
  for (int round = 0; round < 20; ++round) {
    const int first = round * 100'000;
    Child writer([&](int pipe) { WriteForEver(path, first, pipe); });
    // A different moment each time, in the middle of whatever the writer is doing then.
    acknowledged += static_cast<int>(writer.Read(static_cast<std::size_t>(round) + 1).size());
    ::usleep(static_cast<useconds_t>(137 * round));
    writer.Kill();
    acknowledged += static_cast<int>(writer.ReadAll().size());

    ASSERT_TRUE(OpenStore(path)) << "round " << round;
    EXPECT_EQ(RunSql(path,
                     "SELECT count(*) FROM (SELECT at_ms FROM transitions GROUP BY at_ms"
                     " HAVING count(*) <> " +
                         std::to_string(kBatch) + ")"),
              "0")
        << "a torn batch in round " << round;
    const int batches = std::stoi(RunSql(path, "SELECT count(DISTINCT at_ms) FROM transitions"));
    EXPECT_GE(batches, acknowledged) << "round " << round;
    // At most the one whose byte was not written yet.
    EXPECT_LE(batches, acknowledged + round + 1) << "round " << round;
  }
  EXPECT_EQ(RunSql(path, "PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace dra_health

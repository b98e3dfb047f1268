#include "cache/store_keeper.h"

#include <utility>

namespace dra_health {

using effect::Severity;

StoreKeeper::StoreKeeper(OpenStore open, const Clock& clock, Tell tell, const Options& options)
    : open_(std::move(open)),
      clock_(clock),
      tell_(std::move(tell)),
      backoff_(options.retry, options.seed),
      mirror_(options.limits) {}

Result<StoredState> StoreKeeper::Start() {
  auto loaded = OpenAndLoad();
  // Found broken by reading: it has been moved aside, so there is an empty one to be had.
  if (!loaded && loaded.error().kind == ErrorKind::kItem) {
    Failed(loaded.error());
    loaded = OpenAndLoad();
  }
  if (!loaded && loaded.error().kind == ErrorKind::kFatal) return loaded;
  if (!loaded) {
    Failed(loaded.error());
    return StoredState{};
  }
  if (failing_since_) Recovered();
  mirror_.Adopt(*loaded);
  return loaded;
}

Durability StoreKeeper::Apply(std::span<const StoreWrite> writes) {
  if (durable()) {
    const auto applied = store_->Apply(writes);
    if (applied) {
      mirror_.MergeWritten(writes);
      return Durability::kDurable;
    }
    Failed(applied.error());
  }
  for (const StoreWrite& write : writes) mirror_.Merge(write);
  TellDropped();
  if (clock_.Now().boot >= retry_at_) Recover();
  return durable() ? Durability::kDurable : Durability::kKept;
}

void StoreKeeper::Prune(WallTime before, std::size_t max_bytes) {
  if (!durable()) return;
  if (const auto pruned = store_->Prune(before, max_bytes); !pruned) Failed(pruned.error());
}

Result<StoredState> StoreKeeper::OpenAndLoad() {
  auto opened = open_();
  if (!opened) return tl::unexpected(opened.error());
  if (!opened->moved_aside.empty()) {
    ++lost_files_;
    tell_({Severity::kWarning, "the store was broken (" + opened->moved_why +
                                   ") and starts empty; the old file is " +
                                   opened->moved_aside.string()});
  }
  store_ = std::move(opened->store);
  auto loaded = store_->Load();
  // Without having read it, what it holds that is no longer true could not be told.
  if (!loaded && loaded.error().kind != ErrorKind::kItem) store_.reset();
  return loaded;
}

Result<void> StoreKeeper::WriteKept() {
  if (!store_) {
    const auto loaded = OpenAndLoad();
    if (!loaded) return tl::unexpected(loaded.error());
    mirror_.MarkLost(*loaded);
  }
  return store_->Apply(mirror_.Unwritten());
}

void StoreKeeper::Recover() {
  const auto written = WriteKept();
  if (written) {
    Recovered();
  } else {
    Failed(written.error());
  }
}

void StoreKeeper::Failed(const Error& error) {
  const BootTime now = clock_.Now().boot;
  ++failures_;
  last_error_ = error.message;
  if (!failing_since_) {
    failing_since_ = now;
    tell_({Severity::kError,
           error.message + "; what is to be stored is kept in memory until it can be written"});
  }
  retry_at_ = now + backoff_.Next();
  if (error.kind != ErrorKind::kItem) return;
  if (store_) ++lost_files_;
  store_.reset();
  // A fresh file is the remedy, and it may be at hand; but a file that breaks at once waits.
  if (backoff_.attempts() == 1) retry_at_ = now;
}

void StoreKeeper::Recovered() {
  using std::chrono::duration_cast, std::chrono::seconds;
  const BootTime now = clock_.Now().boot;
  const auto outage = duration_cast<seconds>(now - failing_since_.value_or(now));
  tell_({Severity::kInfo, "the store is written again after " + std::to_string(outage.count()) +
                              " s; kept records written: " + std::to_string(mirror_.unwritten()) +
                              ", lost: " + std::to_string(mirror_.dropped() - dropped_before_)});
  mirror_.MarkWritten();
  failing_since_.reset();
  dropped_before_ = mirror_.dropped();
  told_dropped_ = false;
  backoff_.Reset();
}

void StoreKeeper::TellDropped() {
  if (told_dropped_ || mirror_.dropped() == dropped_before_) return;
  told_dropped_ = true;
  tell_({Severity::kError,
         "the store has failed for so long that the oldest kept records are being lost"});
}

}  // namespace dra_health

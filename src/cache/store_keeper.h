#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "base/backoff.h"
#include "base/clock.h"
#include "cache/state_mirror.h"
#include "cache/store.h"
#include "model/effect.h"

namespace dra_health {

enum class Durability {
  kDurable,  // it is in the file
  kKept,     // the file could not be written; it is kept in memory and written as soon as it can be
};

// Keeps the agent going while its store cannot: disk full, read-only, no permission, file broken,
// deleted or replaced. What could not be written is kept, bounded, and written in order when the
// store is back; a file that lost its content gets the present state again.
//
// Thread: the one that owns the store.
// Ownership: owns the store and a copy of the present state.
// Failure: none of its calls fails, except Start when another process holds the store. A loss at a
// limit is told and counted.
class StoreKeeper {
 public:
  using OpenStore = std::function<Result<Store::Opened>()>;
  using Tell = std::function<void(const effect::Notice&)>;
  struct Options {
    BackoffLimits retry{.first = std::chrono::seconds{1}, .most = std::chrono::seconds{30}};
    StateMirror::Limits limits{};
    std::uint64_t seed = std::random_device{}();
  };

  // `clock` must outlive the keeper. `tell` gets what an operator should read, once each time.
  StoreKeeper(OpenStore open, const Clock& clock, Tell tell, const Options& options);
  StoreKeeper(OpenStore open, const Clock& clock, Tell tell)
      : StoreKeeper(std::move(open), clock, std::move(tell), Options{}) {}

  // Opens the store and reads it; nothing was remembered if it cannot be read now.
  // kFatal: another process holds it, or the path cannot be a store.
  Result<StoredState> Start();

  // Writes, or keeps. While the store is failing this is also what tries it again, after a backoff.
  Durability Apply(std::span<const StoreWrite> writes);

  // Nothing while the store is failing.
  void Prune(WallTime before, std::size_t max_bytes);

  // Everything that was applied is in the file.
  bool durable() const { return !failing_since_; }
  // Why not, or why not the last time; "" if it never failed.
  const std::string& last_error() const { return last_error_; }
  std::size_t kept() const { return mirror_.unwritten(); }
  std::size_t dropped() const { return mirror_.dropped(); }
  std::uint64_t failures() const { return failures_; }      // failed attempts
  std::uint64_t lost_files() const { return lost_files_; }  // found broken, deleted or replaced

 private:
  Result<StoredState> OpenAndLoad();
  // One attempt to write all that is kept, reopening the store first where it is gone.
  Result<void> WriteKept();
  void Recover();
  void Failed(const Error& error);
  void Recovered();
  void TellDropped();

  OpenStore open_;
  const Clock& clock_;
  Tell tell_;
  Backoff backoff_;
  StateMirror mirror_;
  std::unique_ptr<Store> store_;  // null while it cannot be opened

  std::optional<BootTime> failing_since_;
  BootTime retry_at_{};
  std::string last_error_;
  bool told_dropped_ = false;       // in this outage
  std::size_t dropped_before_ = 0;  // before this outage
  std::uint64_t failures_ = 0;
  std::uint64_t lost_files_ = 0;
};

}  // namespace dra_health

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/store.h"

namespace dra_health {

// The disk behind fake stores, which outlives them as a file outlives its connections: what fails,
// and what was written.
struct FakeDisk {
  std::optional<Error> open_error;
  std::optional<Error> load_error;
  std::optional<Error> apply_error;
  std::optional<Error> prune_error;
  StoredState content;      // what Load says
  std::string moved_aside;  // what the next Open says
  std::function<void()> on_open;
  int opened = 0;
  int tried = 0;  // calls of Apply
  std::vector<std::vector<StoreWrite>> batches;
  std::optional<WallTime> pruned;

  Result<Store::Opened> Open();
};

class FakeStore final : public Store {
 public:
  explicit FakeStore(FakeDisk& disk) : disk_(disk) {}

  Result<StoredState> Load() override {
    if (disk_.load_error) return tl::unexpected(*disk_.load_error);
    return disk_.content;
  }

  Result<void> Apply(std::span<const StoreWrite> writes) override {
    ++disk_.tried;
    if (disk_.apply_error) return tl::unexpected(*disk_.apply_error);
    disk_.batches.emplace_back(writes.begin(), writes.end());
    return {};
  }

  Result<void> Prune(WallTime before, std::size_t) override {
    if (disk_.prune_error) return tl::unexpected(*disk_.prune_error);
    disk_.pruned = before;
    return {};
  }

 private:
  FakeDisk& disk_;
};

inline Result<Store::Opened> FakeDisk::Open() {
  ++opened;
  if (on_open) on_open();
  if (open_error) return tl::unexpected(*open_error);
  return Store::Opened{std::make_unique<FakeStore>(*this), std::exchange(moved_aside, ""),
                       "it was noise"};
}

}  // namespace dra_health

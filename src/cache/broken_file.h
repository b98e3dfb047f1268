#pragma once

#include <filesystem>

#include "base/error.h"

namespace dra_health {

// Renames a store with its -wal and -shm to `<file>.broken-<UTC time>` and returns that name. The
// WAL goes first: left behind, it would be replayed into the file that takes the old one's place.
// kRetry: a rename failed.
Result<std::filesystem::path> MoveAside(const std::filesystem::path& store);

}  // namespace dra_health

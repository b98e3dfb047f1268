#pragma once

#include <cstdint>
#include <span>

#include "cache/sql.h"

namespace dra_health::schema {

// Step n (from 1) takes a file from version n-1 to n, which is its PRAGMA user_version. Steps are
// never edited once released, and they keep every row of history.
using Migration = const char*;

std::span<const Migration> Migrations();

inline std::int64_t NewestVersion() { return static_cast<std::int64_t>(Migrations().size()); }

// "DRAH" in PRAGMA application_id tells our files from other programs' databases.
inline constexpr std::int64_t kApplicationId = 0x44524148;

// Brings the file to the newest version of `steps` in one transaction; all or nothing.
// REQUIRES: the file's version is not newer.
sql::Outcome<void> Migrate(sql::Database& database, std::span<const Migration> steps);

}  // namespace dra_health::schema

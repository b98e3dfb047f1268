#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace dra_health {

// Runs SQL on a file with a connection of its own, as an operator with the sqlite3 program would.
// Returns the first column of the last row. Aborts the test program on an error.
std::string RunSql(const std::filesystem::path& path, const std::string& script);

// Calls `work` while such a connection is in the middle of writing.
void WhileWriting(const std::filesystem::path& path, const std::function<void()>& work);

}  // namespace dra_health

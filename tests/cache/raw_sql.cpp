#include "tests/cache/raw_sql.h"

#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace dra_health {
namespace {

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

Database Open(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) std::abort();
  return {database, sqlite3_close};
}

std::string Execute(sqlite3* database, const std::string& script) {
  std::string result;
  const auto keep = [](void* out, int count, char** values, char**) {
    *static_cast<std::string*>(out) = count > 0 && values[0] != nullptr ? values[0] : "";
    return 0;
  };
  if (sqlite3_exec(database, script.c_str(), keep, &result, nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "%s: %s\n", script.c_str(), sqlite3_errmsg(database));
    std::abort();
  }
  return result;
}

}  // namespace

std::string RunSql(const std::filesystem::path& path, const std::string& script) {
  return Execute(Open(path).get(), script);
}

void WhileWriting(const std::filesystem::path& path, const std::function<void()>& work) {
  const Database database = Open(path);
  Execute(database.get(), "BEGIN IMMEDIATE");
  work();
  Execute(database.get(), "ROLLBACK");
}

}  // namespace dra_health

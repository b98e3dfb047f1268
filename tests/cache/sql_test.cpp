#include "cache/sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dra_health::sql {
namespace {

using testing::HasSubstr;

Database InMemory() { return Database::Open(":memory:", Database::Mode::kWrite).value(); }

TEST(Sql, ViewsOfAFileAreNotRun) {
  Database database = InMemory();
  ASSERT_TRUE(database.Execute("CREATE VIEW v AS SELECT 1"));
  EXPECT_FALSE(database.Integer("SELECT * FROM v"));
}

TEST(Sql, TriggersOfAFileAreNotRun) {
  Database database = InMemory();
  ASSERT_TRUE(database.Execute(
      "CREATE TABLE t (a); CREATE TABLE log (a);"
      "CREATE TRIGGER more AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END;"
      "INSERT INTO t VALUES (1)"));
  EXPECT_EQ(database.Integer("SELECT count(*) FROM log"), 0);
}

TEST(Sql, MessagesArePrintableWhateverTheyQuote) {
  const auto failed = InMemory().Integer("SELECT \x1b");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text, HasSubstr("unrecognized token"));
  EXPECT_EQ(failed.error().text.find('\x1b'), std::string::npos);
}

TEST(Sql, ARowThatClaimsToBeTooLargeIsDamage) {
  EXPECT_TRUE((Failure{18, "string or blob too big"}.broken()));
}

}  // namespace
}  // namespace dra_health::sql

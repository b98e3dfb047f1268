#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/table_terminal.h"

namespace dra_health {

enum class Colour { kNone, kRed, kYellow, kGreen };

struct Cell {
  std::string text;  // any bytes: they are made printable
  Colour colour = Colour::kNone;
};

// Text in aligned columns under upper-case titles, as kubectl prints it.
class Table {
 public:
  enum class Cut {
    kLast,   // kept whole as long as the others can give way
    kFirst,  // gives way where the terminal is too narrow
  };
  struct Column {
    std::string title;
    Cut cut = Cut::kLast;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: as many cells as columns.
  void Add(std::vector<Cell> row);
  void Print(std::ostream& out, const Terminal& terminal) const;

 private:
  std::vector<std::size_t> Widths(const Terminal& terminal) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// A column of a table whose rows are records.
template <typename Record>
struct ColumnOf {
  Table::Column column;
  bool only_wide = false;
  std::function<Cell(const Record&)> cell;
};

template <typename Record>
Table MakeTable(const std::vector<ColumnOf<Record>>& all_columns,
                const std::vector<Record>& records, bool wide) {
  std::vector<Table::Column> columns;
  for (const auto& column : all_columns) {
    if (wide || !column.only_wide) columns.push_back(column.column);
  }
  Table table(std::move(columns));
  for (const Record& record : records) {
    std::vector<Cell> row;
    for (const auto& column : all_columns) {
      if (wide || !column.only_wide) row.push_back(column.cell(record));
    }
    table.Add(std::move(row));
  }
  return table;
}

}  // namespace dra_health

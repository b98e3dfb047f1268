#include "cli/table.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string_view>

#include "base/text.h"
#include "cli/table_text.h"

namespace dra_health {
namespace {

constexpr std::string_view kGap = "  ";
// Below these a column says nothing any more.
constexpr std::size_t kLeastOfFirst = 8;
constexpr std::size_t kLeastOfLast = 4;

std::string_view Escape(Colour colour) {
  switch (colour) {
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kYellow:
      return "\x1b[33m";
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kNone:
      break;
  }
  return "";
}

std::size_t Total(const std::vector<std::size_t>& widths) {
  return std::reduce(widths.begin(), widths.end(), kGap.size() * (widths.size() - 1));
}

// Takes columns away from the widest of those that may give way, until all fit or none can.
template <typename MayShrink>
void Shrink(std::vector<std::size_t>& widths, std::size_t available, std::size_t least,
            const MayShrink& may_shrink) {
  while (Total(widths) > available) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!may_shrink(i) || widths[i] <= least) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

}  // namespace

void Table::Add(std::vector<Cell> row) {
  for (Cell& cell : row) cell.text = Printable(cell.text);
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::Widths(const Terminal& terminal) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = DisplayWidth(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[i].text));
    widths.push_back(width);
  }
  if (terminal.width) {
    Shrink(widths, *terminal.width, kLeastOfFirst,
           [this](std::size_t i) { return columns_[i].cut == Cut::kFirst; });
    Shrink(widths, *terminal.width, kLeastOfLast, [](std::size_t) { return true; });
  }
  return widths;
}

void Table::Print(std::ostream& out, const Terminal& terminal) const {
  const std::vector<std::size_t> widths = Widths(terminal);
  const auto print_row = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const Cell& cell = cell_at(i);
      const std::string text = CutToWidth(cell.text, widths[i]);
      const bool coloured = terminal.colour && cell.colour != Colour::kNone;
      if (coloured) line += Escape(cell.colour);
      line += text;
      if (coloured) line += "\x1b[0m";
      if (i + 1 == widths.size()) break;
      line.append(widths[i] - DisplayWidth(text), ' ').append(kGap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row([&](std::size_t i) { return Cell{columns_[i].title}; });
  for (const auto& row : rows_) print_row([&](std::size_t i) -> const Cell& { return row[i]; });
}

}  // namespace dra_health

#include "cli/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace dra_health {
namespace {

// Case and separators are the usual slips between flags (node-name) and keys (nodeName).
std::string Fold(std::string_view word) {
  std::string folded;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return folded;
}

// Levenshtein distance: insertions, deletions and replacements, one row at a time.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Nearest(std::string_view typed, std::span<const std::string> words) {
  constexpr std::size_t kLongest = 64;  // longer is no typo, and the cost grows with the length
  const std::string wanted = Fold(typed.substr(0, kLongest));
  std::string best;
  // Further than a third of the word is a guess, not a typo.
  std::size_t least = wanted.size() / 3 + 1;
  for (const std::string& word : words) {
    const std::size_t distance = Distance(wanted, Fold(word));
    if (distance >= least) continue;
    least = distance;
    best = word;
  }
  return best;
}

}  // namespace dra_health

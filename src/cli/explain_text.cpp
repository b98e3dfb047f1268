#include "cli/explain_text.h"

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cli/explain_words.h"
#include "cli/table.h"
#include "cli/table_text.h"

namespace dra_health {
namespace {

using Cut = Table::Cut;

Colour ColourOf(Health health) {
  if (health == Health::kUnhealthy) return Colour::kRed;
  return health == Health::kHealthy ? Colour::kGreen : Colour::kYellow;
}

Cell OrDash(const std::string& text) { return {text.empty() ? "-" : text}; }

void PrintSentences(const Explanation& explanation, std::ostream& out, const Terminal& terminal) {
  out << Wrapped(explanation.title, terminal.width, 2) << "\n\n"
      << Wrapped(explanation.verdict.sentence, terminal.width, 2) << "\n\n";
  if (explanation.earlier.empty()) return;
  out << "Before that, newest first:\n";
  for (const Verdict& verdict : explanation.earlier) {
    out << Wrapped("- " + verdict.sentence, terminal.width, 2) << '\n';
  }
  out << '\n';
}

void PrintFacts(const Explanation& explanation, std::ostream& out, const Terminal& terminal) {
  std::size_t widest = 0;
  for (const Fact& fact : explanation.facts) {
    widest = std::max(widest, DisplayWidth(Printable(fact.name)));
  }
  for (const Fact& fact : explanation.facts) {
    std::string name = Printable(fact.name);
    name.append(widest + 2 - DisplayWidth(name), ' ');
    out << Wrapped(name + fact.value, terminal.width, widest + 2) << '\n';
  }
  out << '\n';
}

void PrintDevices(const Explanation& explanation, std::ostream& out, const Terminal& terminal) {
  if (explanation.devices.empty()) return;
  Table table({{"DEVICE"}, {"LAST HEALTH"}, {"HELD", Cut::kFirst}, {"MESSAGE", Cut::kFirst}});
  for (const LastOfDevice& device : explanation.devices) {
    const Cell health = device.health
                            ? Cell{std::string(ToString(*device.health)), ColourOf(*device.health)}
                            : Cell{"-"};
    table.Add({{device.name}, health, {device.held}, OrDash(device.text)});
  }
  table.Print(out, terminal);
  out << '\n';
}

void PrintMoments(const Explanation& explanation, std::ostream& out, const Terminal& terminal) {
  if (explanation.moments.empty()) return;
  Table table({{"TIME"}, {"WHAT"}, {"OF", Cut::kFirst}, {"DETAILS", Cut::kFirst}});
  for (const TimelineMoment& moment : explanation.moments) {
    const Colour colour = moment.health ? ColourOf(*moment.health)
                          : moment.bad  ? Colour::kRed
                                        : Colour::kNone;
    table.Add({{FormatTime(moment.at)},
               {std::string(WordsFor(moment.kind)), colour},
               {moment.subject},
               OrDash(moment.text)});
  }
  table.Print(out, terminal);
}

}  // namespace

void PrintText(const Explanation& explanation, std::ostream& out, const Terminal& terminal) {
  PrintSentences(explanation, out, terminal);
  PrintFacts(explanation, out, terminal);
  PrintDevices(explanation, out, terminal);
  PrintMoments(explanation, out, terminal);
  for (const std::string& note : explanation.notes) {
    out << '\n' << Wrapped("Note: " + note + ".", terminal.width, 2) << '\n';
  }
}

std::string Wrapped(const std::string& text, std::optional<std::size_t> width, std::size_t indent) {
  std::string printable = Printable(text);
  if (!width) return printable;
  std::string lines;
  std::size_t column = 0;
  std::size_t begin = 0;
  while (begin < printable.size()) {
    std::size_t end = printable.find(' ', printable.find_first_not_of(' ', begin));
    end = std::min(end, printable.size());
    std::string word = printable.substr(begin, end - begin);  // with the blanks before it
    begin = end;
    if (column > indent && column + DisplayWidth(word) > *width) {
      word.erase(0, word.find_first_not_of(' '));
      lines.append("\n").append(indent, ' ');
      column = indent;
    }
    column += DisplayWidth(word);
    lines += word;
  }
  return lines;
}

}  // namespace dra_health

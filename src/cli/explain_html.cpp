#include "cli/explain_html.h"

#include <set>

#include "cli/explain_page.h"
#include "cli/explain_svg.h"
#include "cli/explain_words.h"
#include "cli/html_text.h"

namespace dra_health {
namespace {

// More rows make browsers slow; all of them are in the JSON.
constexpr std::size_t kMostRows = 5000;

const char* ToneOf(Finding finding) {
  switch (finding) {
    case Finding::kUnhealthyBefore:
    case Finding::kUnhealthySameSecond:
      return " bad";
    case Finding::kHealthy:
    case Finding::kUnhealthyAfter:
      return " good";
    case Finding::kAgentAway:
    case Finding::kNotReported:
    case Finding::kRecoveredBefore:
    case Finding::kEndNotTold:
    case Finding::kNoDevice:
      return " unsure";
    case Finding::kRunning:
    case Finding::kDevice:
      break;
  }
  return "";
}

const char* ClassesOf(const TimelineMoment& moment) {
  if (moment.bad || moment.health == Health::kUnhealthy) return "what red";
  if (!moment.health) return "what";
  return *moment.health == Health::kHealthy ? "what green" : "what amber";
}

class Page {
 public:
  explicit Page(const Explanation& explanation) : explanation_(explanation) {}

  std::string Write() {
    Head();
    html_ += "<body>\n<main>\n<h1>" + Escaped(explanation_.title) + "</h1>\n<p class=\"verdict" +
             ToneOf(explanation_.verdict.finding) + "\">" +
             EscapedWithTimes(explanation_.verdict.sentence) + "</p>\n";
    Earlier();
    Facts();
    TimeLine();
    Moments();
    Foot();
    html_ += "</main>\n<script>" + std::string(kPageScript) + "</script>\n</body>\n</html>\n";
    return std::move(html_);
  }

 private:
  void Head() {
    html_ =
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
        "<title>" +
        Escaped(explanation_.title) + "</title>\n<style>" + kPageStyle + "</style>\n</head>\n";
  }

  void Earlier() {
    if (explanation_.earlier.empty()) return;
    html_ += "<h2>Before that, newest first</h2>\n<ul>\n";
    for (const Verdict& verdict : explanation_.earlier) {
      html_ += "<li>" + EscapedWithTimes(verdict.sentence) + "</li>\n";
    }
    html_ += "</ul>\n";
  }

  void Facts() {
    html_ += "<h2>What is known</h2>\n<dl>\n";
    for (const Fact& fact : explanation_.facts) Define(fact.name, fact.value);
    for (const LastOfDevice& device : explanation_.devices) Define(device.name, LastOf(device));
    html_ += "</dl>\n";
  }

  static std::string LastOf(const LastOfDevice& device) {
    std::string text = device.held;
    if (device.health) text += "; last " + std::string(ToString(*device.health));
    return device.text.empty() ? text : text + ": " + device.text;
  }

  void Define(const std::string& name, const std::string& value) {
    html_ += "<dt>" + Escaped(name) + "</dt><dd>" + EscapedWithTimes(value) + "</dd>\n";
  }

  void TimeLine() {
    html_ += "<h2>Time line</h2>\n<figure>\n" + ToSvg(explanation_) + "<figcaption>\n";
    std::set<SpanState> states;
    for (const Lane& lane : explanation_.lanes) {
      for (const Span& span : lane.spans) states.insert(span.state);
    }
    html_ += "<ul class=\"legend\">\n";
    for (const SpanState state : states) {
      html_ += "<li><svg width=\"22\" height=\"14\" aria-hidden=\"true\"><rect class=\"bar " +
               ClassOf(state) + "\" x=\"1\" y=\"1\" width=\"20\" height=\"12\"/></svg>" +
               Escaped(WordsFor(state)) + "</li>\n";
    }
    if (!EndsToMark(explanation_).empty()) {
      html_ +=
          "<li><svg width=\"22\" height=\"14\" aria-hidden=\"true\"><line class=\"end\" "
          "x1=\"11\" x2=\"11\" y1=\"0\" y2=\"14\"/></svg>an end with another code than 0</li>\n";
    }
    html_ += "</ul>\n</figcaption>\n</figure>\n";
  }

  void Moments() {
    const auto& moments = explanation_.moments;
    html_ +=
        "<h2 id=\"moments\">Moments</h2>\n<table role=\"table\" aria-labelledby=\"moments\">\n"
        "<thead role=\"rowgroup\"><tr role=\"row\"><th role=\"columnheader\" scope=\"col\">UTC</th>"
        "<th role=\"columnheader\" scope=\"col\" class=\"local\">Your time (<span class=\"zone\">"
        "</span>)</th><th role=\"columnheader\" scope=\"col\">What</th>"
        "<th role=\"columnheader\" scope=\"col\">Of</th>"
        "<th role=\"columnheader\" scope=\"col\">Details</th></tr></thead>\n"
        "<tbody role=\"rowgroup\">\n";
    const std::size_t left_out = moments.size() > kMostRows ? moments.size() - kMostRows : 0;
    for (std::size_t i = left_out; i < moments.size(); ++i) Row(moments[i]);
    html_ += "</tbody>\n</table>\n";
    if (left_out > 0) {
      html_ += "<p>The " + std::to_string(left_out) +
               " oldest moments are left out here; the output as JSON has all.</p>\n";
    }
  }

  void Row(const TimelineMoment& moment) {
    const std::string utc = FormatTime(moment.at);
    html_ += "<tr role=\"row\"><td role=\"cell\" class=\"utc\"><time datetime=\"" + utc + "\">" +
             utc + "</time></td><td role=\"cell\" class=\"local\" data-utc=\"" + utc +
             "\"></td><td role=\"cell\" class=\"" + ClassesOf(moment) + "\">" +
             Escaped(WordsFor(moment.kind)) + "</td><td role=\"cell\">" + Escaped(moment.subject) +
             "</td><td role=\"cell\">" + EscapedWithTimes(moment.text) + "</td></tr>\n";
  }

  void Foot() {
    html_ += "<footer>\n";
    for (const std::string& note : explanation_.notes) {
      html_ += "<p>" + EscapedWithTimes(note) + ".</p>\n";
    }
    html_ +=
        "<p>Starts and ends of containers are known to the second, changes of health when the "
        "agent learned of them. Nothing here is a cause.</p>\n</footer>\n";
  }

  const Explanation& explanation_;
  std::string html_;
};

}  // namespace

std::string ToHtml(const Explanation& explanation) { return Page(explanation).Write(); }

}  // namespace dra_health

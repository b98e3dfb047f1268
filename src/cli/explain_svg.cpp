#include "cli/explain_svg.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <ranges>
#include <string_view>

#include "cli/explain_words.h"
#include "cli/html_text.h"

namespace dra_health {
namespace {

constexpr int kAxisHeight = 44;
constexpr int kLaneHeight = 40;
constexpr int kBarTop = 18;  // below the lane's name
constexpr int kBarHeight = 14;
// More of them are a picture no more, and cost the browser time.
constexpr std::size_t kMostSpans = 500;
constexpr std::size_t kMostEnds = 20;

// How much a state matters where it hides another.
int WeightOf(SpanState state) {
  switch (state) {
    case SpanState::kUnhealthy:
    case SpanState::kEndedBadly:
      return 3;
    case SpanState::kUnknown:
    case SpanState::kAway:
      return 2;
    case SpanState::kRunning:
    case SpanState::kEndedWell:
      return 1;
    case SpanState::kHealthy:
    case SpanState::kHeld:
      break;
  }
  return 0;
}

std::string Number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

class Picture {
 public:
  explicit Picture(const Explanation& explanation) : explanation_(explanation) {}

  std::string Draw() {
    const auto lanes = static_cast<int>(explanation_.lanes.size());
    const int height = kAxisHeight + lanes * kLaneHeight;
    svg_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"" +
           std::to_string(height) +
           "\" role=\"img\" aria-labelledby=\"line-title line-desc\">\n"
           "<title id=\"line-title\">Time line of " +
           Escaped(explanation_.title) + "</title>\n<desc id=\"line-desc\">" + Description() +
           "</desc>\n"
           "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
           "patternTransform=\"rotate(45)\"><rect class=\"hatch-ground\" width=\"6\" "
           "height=\"6\"/><rect class=\"hatch-line\" width=\"3\" height=\"6\"/></pattern></defs>\n";
    Axis(height);
    Ends(height);
    for (int i = 0; i < lanes; ++i) {
      DrawLane(explanation_.lanes[static_cast<std::size_t>(i)], kAxisHeight + i * kLaneHeight);
    }
    return svg_ + "</svg>\n";
  }

 private:
  double PercentOf(WallTime time) const {
    const auto length = static_cast<double>((explanation_.to - explanation_.from).count());
    const auto before = static_cast<double>((time - explanation_.from).count());
    return length <= 0 ? 0 : std::clamp(100 * before / length, 0.0, 100.0);
  }

  std::string Description() const {
    std::string text = "From " + FormatTime(explanation_.from) + " to " +
                       FormatTime(explanation_.to) + ". One row each for ";
    for (std::size_t i = 0; i < explanation_.lanes.size(); ++i) {
      text += (i == 0 ? "" : ", ") + Escaped(explanation_.lanes[i].name);
    }
    return text + ". The table of moments below has the same content.";
  }

  void Put(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) svg_ += part;
  }

  // The ends of the line are told on every screen, its quarters on wide ones.
  void Axis(int height) {
    for (int quarter = 0; quarter <= 4; ++quarter) {
      const std::string at =
          FormatTime(explanation_.from + (explanation_.to - explanation_.from) * quarter / 4);
      const std::string x = std::to_string(quarter * 25);
      const char* const kind = quarter == 0 ? "first" : quarter == 4 ? "last" : "between";
      Line("grid", x, height, "");
      Put({"<text class=\"", kind, "\" x=\"", x, "%\" y=\"12\">", at, "</text>\n"});
      Put({"<text class=\"local ", kind, "\" x=\"", x, "%\" y=\"28\" data-utc=\"", at,
           "\"></text>\n"});
    }
  }

  // Through all lanes.
  void Line(const char* kind, const std::string& x, int height, const std::string& content) {
    Put({"<line class=\"", kind, "\" x1=\"", x, "%\" x2=\"", x, "%\" y1=\"34\" y2=\"",
         std::to_string(height), "\">", content, "</line>\n"});
  }

  void DrawLane(const Lane& lane, int top) {
    Put({"<g>\n<text class=\"name\" x=\"0\" y=\"", std::to_string(top + 12), "\">",
         Escaped(lane.name), "</text>\n"});
    for (const Span& span : Thinned(lane.spans, explanation_.from, explanation_.to)) {
      const double begin = PercentOf(span.from);
      Put({"<rect class=\"bar ", ClassOf(span.state), "\" x=\"", Number(begin), "%\" width=\"",
           Number(PercentOf(span.to) - begin), "%\" y=\"", std::to_string(top + kBarTop),
           "\" height=\"", std::to_string(kBarHeight), "\"><title>", WordsFor(span.state), ", ",
           FormatTime(span.from), " to ", FormatTime(span.to), span.text.empty() ? "" : ": ",
           Escaped(span.text), "</title></rect>\n"});
    }
    svg_ += "</g>\n";
  }

  // To see how the devices were then.
  void Ends(int height) {
    for (const TimelineMoment& end : EndsToMark(explanation_)) {
      std::string title = "<title>" + Escaped(end.subject) + " ended ";
      title.append(Escaped(end.text)).append(", ").append(FormatTime(end.at)).append("</title>");
      Line("end", Number(PercentOf(end.at)), height, title);
    }
  }

  const Explanation& explanation_;
  std::string svg_;
};

}  // namespace

std::string ToSvg(const Explanation& explanation) { return Picture(explanation).Draw(); }

std::string ClassOf(SpanState state) {
  switch (state) {
    case SpanState::kHealthy:
      return "healthy";
    case SpanState::kUnhealthy:
      return "unhealthy";
    case SpanState::kUnknown:
      return "unknown";
    case SpanState::kRunning:
      return "running";
    case SpanState::kEndedWell:
      return "ended-well";
    case SpanState::kEndedBadly:
      return "ended-badly";
    case SpanState::kHeld:
      return "held";
    case SpanState::kAway:
      return "away";
  }
  return "";
}

std::vector<TimelineMoment> EndsToMark(const Explanation& explanation) {
  std::vector<TimelineMoment> ends;
  const bool has_containers =
      std::ranges::count(explanation.lanes, Lane::Kind::kContainer, &Lane::kind) > 0;
  if (!has_containers) return ends;
  for (const TimelineMoment& moment : std::views::reverse(explanation.moments)) {
    if (moment.kind == MomentKind::kEnded && moment.bad) ends.push_back(moment);
    if (ends.size() == kMostEnds) break;
  }
  return ends;
}

std::vector<Span> Thinned(const std::vector<Span>& spans, WallTime from, WallTime to) {
  if (spans.size() <= kMostSpans) return spans;
  const auto step = std::max((to - from) / 1000, std::chrono::milliseconds{1});
  std::vector<Span> thinned;
  for (const Span& span : spans) {
    const bool meets_last = !thinned.empty() && span.from - thinned.back().from < step &&
                            span.from >= thinned.back().from;
    const bool tiny = span.to - span.from < step;
    if (!meets_last || !tiny) {
      thinned.push_back(span);
      continue;
    }
    Span& last = thinned.back();
    last.to = std::max(last.to, span.to);
    if (WeightOf(span.state) > WeightOf(last.state)) last.state = span.state;
    last.text = "several states";
  }
  return thinned;
}

}  // namespace dra_health

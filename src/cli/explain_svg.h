#pragma once

#include <string>
#include <vector>

#include "explain/explanation.h"

namespace dra_health {

// The lanes of an explanation as one <svg> element for an HTML page. Its places are in percent, so
// that it is as wide as its place and its letters are not scaled. The colours and patterns are
// those of the page's style sheet, by class.
std::string ToSvg(const Explanation& explanation);

// The class of a state: "healthy", "ended-badly" and so on.
std::string ClassOf(SpanState state);

// The last ends with another code than 0 where containers have lanes of their own: each is marked
// by a line through all lanes.
std::vector<TimelineMoment> EndsToMark(const Explanation& explanation);

// `spans` with those put together that nobody could tell apart in a picture: where many lie within
// a thousandth of the frame, the worst of them stands.
std::vector<Span> Thinned(const std::vector<Span>& spans, WallTime from, WallTime to);

}  // namespace dra_health

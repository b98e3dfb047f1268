#include "cli/explain_page.h"

namespace dra_health {

// States differ by pattern and height too, not only by colour.
const char* const kPageStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --panel: #f6f8fa;
  --good: #2da44e; --bad: #cf222e; --bad-light: #ffb3b8; --unsure: #9a6700; --plain: #57606a;
  --held: #d0d7de;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --panel: #151b23;
    --good: #3fb950; --bad: #f85149; --bad-light: #67060c; --unsure: #d29922; --plain: #9198a1;
    --held: #3d444d;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
.verdict {
  font-size: 1.1rem; margin: 0; padding: 0.75rem 1rem; background: var(--panel);
  border-left: 4px solid var(--plain);
}
.verdict.bad { border-color: var(--bad); }
.verdict.unsure { border-color: var(--unsure); }
.verdict.good { border-color: var(--good); }
dl {
  display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: 0.25rem 1.5rem;
  margin: 0;
}
dt { color: var(--quiet); }
dd { margin: 0; }
figure { margin: 0; }
svg { display: block; }
svg text { font-size: 12px; fill: var(--quiet); }
svg text.name {
  fill: var(--text); paint-order: stroke; stroke: var(--ground); stroke-width: 3px;
}
svg text.between { text-anchor: middle; }
svg text.last { text-anchor: end; }
.grid { stroke: var(--line); }
.end { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 3; }
.bar { stroke-width: 1.5; }
.healthy { fill: var(--good); stroke: var(--good); }
.unhealthy { fill: url(#hatch); stroke: var(--bad); }
.ended-badly { fill: var(--plain); stroke: var(--bad); stroke-width: 3; }
.unknown, .away { fill: none; stroke: var(--unsure); stroke-dasharray: 3 2; }
.running, .ended-well { fill: var(--plain); stroke: var(--plain); }
.held { fill: var(--held); stroke: var(--held); }
.hatch-ground { fill: var(--bad-light); }
.hatch-line { fill: var(--bad); }
.legend {
  display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; margin: 0.75rem 0 0;
  padding: 0; color: var(--quiet); font-size: 0.875rem;
}
.legend svg { display: inline-block; vertical-align: -2px; margin-right: 0.4rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 1rem 0.3rem 0; }
thead th { border-bottom: 2px solid var(--line); }
tbody tr { border-bottom: 1px solid var(--line); }
.utc, .what, td.local { white-space: nowrap; font-variant-numeric: tabular-nums; }
.local { display: none; }
.translated text.local { display: inline; }
.translated th.local, .translated td.local { display: table-cell; }
.translated time + .local { display: inline; color: var(--quiet); }
.red { color: var(--bad); font-weight: 600; }
.green { color: var(--good); }
.amber { color: var(--unsure); }
footer { margin-top: 2rem; color: var(--quiet); font-size: 0.875rem; }
@media (min-width: 45rem) {
  time, time + .local { white-space: nowrap; }
}
@media (max-width: 45rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin: 0 0 0.5rem; }
  svg text.between { display: none; }
  .translated svg text.local.between { display: none; }
  table, tbody, tr, td, .translated td.local { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tbody tr { padding: 0.4rem 0; }
  td { padding: 0; }
  .translated td.local::after { content: " your time"; color: var(--quiet); }
}
@media print {
  :root {
    --ground: #ffffff; --text: #000000; --quiet: #333333; --line: #999999; --panel: #ffffff;
  }
  body { font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  thead { display: table-header-group; }
  figure, tr, .verdict { break-inside: avoid; }
  h2 { break-after: avoid; }
}
)css";

const char* const kPageScript = R"js(
(function () {
  "use strict";
  function two(number) { return String(number).padStart(2, "0"); }
  function local(utc) {
    var time = new Date(utc);
    return time.getFullYear() + "-" + two(time.getMonth() + 1) + "-" + two(time.getDate()) + " " +
      two(time.getHours()) + ":" + two(time.getMinutes()) + ":" + two(time.getSeconds());
  }
  var zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "local";
  document.querySelectorAll("[data-utc]").forEach(function (place) {
    place.textContent = local(place.getAttribute("data-utc"));
  });
  document.querySelectorAll("p time, li time, dd time").forEach(function (time) {
    var also = document.createElement("span");
    also.className = "local";
    also.textContent = " (" + local(time.getAttribute("datetime")) + " your time)";
    time.after(also);
  });
  document.querySelectorAll(".zone").forEach(function (place) { place.textContent = zone; });
  document.documentElement.classList.add("translated");
}());
)js";

}  // namespace dra_health

"""Opens the page in a real browser, in a narrow and a wide window.

Usage: browser_test.py EXPLAIN_PAGE_SAMPLE. Exit code 77 says that it was skipped, and the output why;
with CI=true that is a failure.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import pages

BROWSER = shutil.which("chromium")
WIDTHS = (360, 1280)

# A frame has its own viewport, so it can be narrower than any window of the browser may be. What the
# page tells is read from outside, so that the page is as its readers get it.
HARNESS = """<!DOCTYPE html><html><body style="margin:0"><script>
function measure(frame) {{
  var page = frame.contentDocument, view = frame.contentWindow;
  function texts(selector) {{
    return Array.from(page.querySelectorAll(selector)).filter(function (element) {{
      return view.getComputedStyle(element).display !== "none";
    }}).map(function (element) {{ return element.textContent; }});
  }}
  function box(element) {{ return element.getBoundingClientRect(); }}
  var bars = Array.from(page.querySelectorAll("figure rect.bar"));
  var laid_out = Array.from(page.querySelectorAll("main *")).filter(function (element) {{
    return !element.closest("thead, svg");
  }});
  document.body.textContent = "RESULT:" + JSON.stringify({{
    title: page.title,
    inner: view.innerWidth,
    scroll: page.documentElement.scrollWidth,
    widest: Math.max(...laid_out.map(function (element) {{ return box(element).right; }})),
    picture: box(page.querySelector("figure svg")).width,
    thinnest: Math.min(...bars.map(function (bar) {{ return box(bar).height; }})),
    axis: texts("figure svg > text:not(.local)"),
    local: texts("td.local"),
    inline: texts("p .local, li .local, dd .local"),
    zone: page.querySelector(".zone").textContent,
    fill: view.getComputedStyle(page.querySelector("rect.healthy")).fill
  }}) + ":END";
}}
</script>
<iframe onload="measure(this)" style="border:0;width:{width}px;height:900px" srcdoc="{page}"></iframe>
</body></html>
"""


def run(folder, *arguments, zone="UTC"):
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               f"--user-data-dir={folder}/profile", "--virtual-time-budget=5000", *arguments]
    environment = {**os.environ, "TZ": zone, "HOME": folder}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=True).stdout


class Browser(unittest.TestCase):
    pages = pages.write(sys.argv[1])

    def look(self, name, width, zone="UTC"):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "harness.html"
            file.write_text(HARNESS.format(width=width, page=html.escape(self.pages[name])), encoding="utf-8")
            dom = run(folder, "--dump-dom", file.as_uri(), zone=zone)
        found = re.search(r"RESULT:({.*}):END", dom, re.DOTALL)
        self.assertIsNotNone(found, dom[-2000:])
        return json.loads(html.unescape(found.group(1)))

    def test_no_page_is_wider_than_its_window(self):
        for name in pages.NAMES:
            for width in WIDTHS:
                with self.subTest(page=name, width=width):
                    seen = self.look(name, width)
                    self.assertEqual(seen["inner"], width)
                    self.assertLessEqual(seen["scroll"], width)
                    self.assertLessEqual(seen["widest"], width + 0.5)
                    self.assertGreater(seen["picture"], 0.85 * min(width, 1152) - 16)
                    self.assertGreater(seen["thinnest"], 8)
                    self.assertNotEqual(seen["title"], "broken")

    def test_the_axis_has_as_many_times_as_there_is_room_for(self):
        self.assertEqual(len(self.look("pod", 360)["axis"]), 2)
        self.assertEqual(len(self.look("pod", 1280)["axis"]), 5)

    def test_times_are_also_in_the_zone_of_the_reader(self):
        for width in WIDTHS:
            seen = self.look("pod", width, zone="Asia/Kolkata")
            self.assertIn(seen["zone"], ("Asia/Kolkata", "Asia/Calcutta"))
            self.assertEqual(seen["local"][0], "2027-01-15 13:31:35")  # 08:01:35 UTC
            self.assertIn(" (2027-01-15 13:31:35 your time)", seen["inline"])

    def test_the_style_sheet_and_its_policy_get_along(self):
        self.assertNotIn(self.look("device", 1280)["fill"], ("", "rgb(0, 0, 0)"))

    def test_it_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            page.write_text(self.pages["pod"], encoding="utf-8")
            run(folder, "--no-pdf-header-footer", f"--print-to-pdf={folder}/page.pdf", page.as_uri())
            pdf = (pathlib.Path(folder) / "page.pdf").read_bytes()
        self.assertTrue(pdf.startswith(b"%PDF"))
        sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
        self.assertIn(sheets, (1, 2), "a short story fits a sheet or two")


if __name__ == "__main__":
    if BROWSER is None:
        print("browser tests skipped: there is no chromium; Debian has it in the package chromium")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    unittest.main(argv=sys.argv[:1])

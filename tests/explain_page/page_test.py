"""Reads the page as a document: well-formed, alone, accessible, and complete without its picture.

Usage: page_test.py EXPLAIN_PAGE_SAMPLE
"""

import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import pages

PAGES = pages.write(sys.argv[1])
HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


def text_of(element):
    return " ".join("".join(element.itertext()).split())


class Page(unittest.TestCase):
    def setUp(self):
        self.roots = {name: ElementTree.fromstring(text) for name, text in PAGES.items()}

    def picture(self, name):
        return self.roots[name].find(f".//{HTML}figure/{SVG}svg")

    def rows(self, name):
        return [[text_of(cell) for cell in row] for row in self.roots[name].iterfind(f".//{HTML}tbody/{HTML}tr")]

    def test_all_are_well_formed(self):
        self.assertEqual(set(self.roots), set(pages.NAMES))

    def test_what_others_wrote_is_text(self):
        for name, text in PAGES.items():
            self.assertEqual(text.count("<script"), 1, name)
        hostile = self.roots["hostile"]
        self.assertIn("<script>document.title='broken'</script>", text_of(hostile.find(f".//{HTML}main")))

    def test_nothing_is_fetched(self):
        for name, root in self.roots.items():
            for element in root.iter():
                for attribute in ("src", "href", "action", "data", "poster"):
                    self.assertNotIn(attribute, element.attrib, name)
            self.assertNotRegex(text_of(root.find(f".//{HTML}style")), r"@import|url\((?!#)")
            policy = [meta.get("content") for meta in root.iter(f"{HTML}meta") if meta.get("http-equiv")]
            self.assertTrue(policy[0].startswith("default-src 'none'"), name)

    def test_the_verdict_stands_first(self):
        first = self.roots["pod"].find(f".//{HTML}main")[1]
        self.assertEqual(first.get("class"), "verdict bad")
        self.assertIn("had turned Unhealthy 12 s before container train ended with code 137", text_of(first))

    def test_the_picture_has_a_title_and_a_description(self):
        for name in pages.NAMES:
            picture = self.picture(name)
            self.assertEqual(picture.get("role"), "img")
            ids = picture.get("aria-labelledby").split()
            texts = {child.get("id"): text_of(child) for child in picture if child.get("id")}
            self.assertTrue(all(texts[label] for label in ids), name)
        self.assertIn("One row each for container train, gpu.example.com/node-1/gpu-0", text_of(self.picture("pod")))

    def test_every_bar_says_what_it_is_and_lies_in_the_picture(self):
        for name in pages.NAMES:
            bars = [bar for bar in self.picture(name).iter(f"{SVG}rect") if "bar" in bar.get("class")]
            self.assertTrue(bars)
            for bar in bars:
                self.assertRegex(text_of(bar.find(f"{SVG}title")), r"^\w.* to 2027-01-\d\dT.*Z")
                begin, width = (float(bar.get(key).rstrip("%")) for key in ("x", "width"))
                self.assertTrue(0 <= begin <= begin + width <= 100.01, (begin, width))

    def test_the_table_has_what_the_picture_shows(self):
        rows = self.rows("pod")
        self.assertEqual(
            rows[-1][2:], ["ended", "container train", "restart 1, with code 137 (Error)"])
        ended = [row[0] for row in rows if row[2] == "ended"]
        lines = [text_of(line) for line in self.picture("pod").iter(f"{SVG}line") if line.get("class") == "end"]
        self.assertEqual(len(ended), len(lines))
        for time in ended:
            self.assertTrue(any(time in line for line in lines), time)

    def test_the_legend_names_every_pattern_that_is_drawn(self):
        for name in pages.NAMES:
            drawn = {bar.get("class") for bar in self.picture(name).iter(f"{SVG}rect") if "bar" in bar.get("class")}
            legend = self.roots[name].find(f".//{HTML}ul[@class='legend']")
            named = {bar.get("class") for bar in legend.iter() if "bar" in bar.get("class", "").split()}
            self.assertLessEqual(drawn, named, name)

    def test_times_in_the_markup_are_utc_and_marked(self):
        for name, root in self.roots.items():
            for row in root.iterfind(f".//{HTML}tbody/{HTML}tr"):
                time = row[0].find(f"{HTML}time")
                self.assertEqual(time.get("datetime"), time.text, name)
                self.assertRegex(time.text, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
                self.assertEqual(row[1].get("data-utc"), time.text)

    def test_a_crowded_picture_stays_small_and_its_table_whole(self):
        self.assertLess(len(list(self.picture("crowded").iter(f"{SVG}rect"))), 1200)
        self.assertEqual(sum(row[2] == "turned" for row in self.rows("crowded")), 3000)
        self.assertIn("several states", PAGES["crowded"])

    def test_it_is_made_for_print_and_for_dark_screens(self):
        for wanted in ("@media print", "prefers-color-scheme: dark", 'name="viewport"'):
            self.assertIn(wanted, PAGES["pod"])

    def test_ids_are_unique(self):
        for name, text in PAGES.items():
            ids = re.findall(r' id="([^"]+)"', text)
            self.assertEqual(len(ids), len(set(ids)), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

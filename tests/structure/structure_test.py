"""Checks the tree against rules.py, and the rules against small trees that break them.

Usage: structure_test.py SOURCE_FOLDER COMPILE_COMMANDS
"""

import json
import pathlib
import sys
import unittest

import rules

ROOT = pathlib.Path(sys.argv[1]).resolve()
COMPILE_COMMANDS = pathlib.Path(sys.argv[2])


def tree():
    paths = [p for top in ("src", "tests") for p in (ROOT / top).rglob("*") if p.suffix in (".h", ".cpp")]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


class Tree(unittest.TestCase):
    def test_includes_follow_the_module_table(self):
        self.assertEqual(rules.wrong_includes(tree()), [])

    def test_every_source_is_compiled(self):
        entries = json.loads(COMPILE_COMMANDS.read_text(encoding="utf-8"))
        paths = [(pathlib.Path(entry["directory"]) / entry["file"]).resolve() for entry in entries]
        compiled = [str(p.relative_to(ROOT)) for p in paths if p.is_relative_to(ROOT)]
        sources = [path for path in tree() if path.endswith(".cpp")]
        self.assertEqual(rules.uncompiled(sources, compiled), [])

    def test_every_header_guards_itself(self):
        headers = {path: text for path, text in tree().items() if path.endswith(".h")}
        self.assertEqual([p for p, text in headers.items() if not text.startswith("#pragma once\n")], [])


class Rules(unittest.TestCase):
    def wrong(self, **files):
        tree_of = {path.replace("__", "/") + ".h": text for path, text in files.items()}
        return "\n".join(rules.wrong_includes(tree_of))

    def test_an_arrow_upwards_is_wrong(self):
        self.assertIn("model must not know cache", self.wrong(src__model__a='#include "cache/store.h"'))

    def test_the_three_in_the_middle_do_not_know_each_other(self):
        self.assertIn("cache must not know patcher", self.wrong(src__cache__a='#include "patcher/b.h"'))

    def test_an_arrow_downwards_is_right(self):
        self.assertEqual(self.wrong(src__cache__a='#include "model/pod.h"\n#include "cache/b.h"'), "")

    def test_a_library_used_by_another_module_is_wrong(self):
        self.assertIn("SQLite belongs to", self.wrong(src__agent__a="#include <sqlite3.h>"))
        self.assertIn("protobuf belongs to", self.wrong(src__model__a='#include "dra/v1.pb.h"'))
        self.assertIn("prometheus-cpp belongs to", self.wrong(src__agent__a="#include <prometheus/gauge.h>"))

    def test_a_library_that_leaks_through_headers_is_wrong(self):
        inside = {"src__cache__a": '#include "cache/b.h"', "src__cache__b": "#include <sqlite3.h>"}
        self.assertEqual(self.wrong(**inside), "")
        self.assertIn("brings in SQLite", self.wrong(src__agent__c='#include "cache/a.h"', **inside))

    def test_headers_that_include_each_other_end(self):
        circle = {"src__base__a": '#include "base/b.h"', "src__base__b": '#include "base/a.h"'}
        self.assertEqual(self.wrong(src__model__c='#include "base/a.h"', **circle), "")

    def test_a_folder_that_is_no_module_is_wrong(self):
        self.assertIn("belongs to no module", self.wrong(src__util__a=""))

    def test_a_test_that_is_not_built_is_found(self):
        self.assertEqual(len(rules.uncompiled(["a_test.cpp", "b_test.cpp"], ["b_test.cpp"])), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Compares docs/metrics.md and the alert rules with the metrics that there are.

Usage: metrics_page_test.py SOURCE_FOLDER METRICS_SAMPLE
"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
SAMPLE = subprocess.run([sys.argv[2]], check=True, capture_output=True, text=True).stdout

# The labels that a histogram has by itself.
OWN_LABELS = {"le"}


def exposed():
    """Name to (type, labels) of every metric of the sample."""
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", SAMPLE, re.MULTILINE))
    labels = {name: set() for name in types}
    for series, inside in re.findall(r"^(\w+)\{(.*)\} \S+$", SAMPLE, re.MULTILINE):
        name = series if series in types else series.removesuffix("_bucket")
        labels[name] |= set(re.findall(r'(\w+)="', inside)) - OWN_LABELS
    return {name: (kind, labels[name]) for name, kind in types.items()}


def documented():
    """The same as the rows of the page have it: | `name` | type | `label`, `label` | meaning |."""
    page = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(dra_\w+)` \| (\w+) \| ([^|]*)\|", page, re.MULTILINE)
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


class MetricsPage(unittest.TestCase):
    maxDiff = None

    def test_it_lists_what_is_exposed(self):
        self.assertEqual(documented(), exposed())

    def test_every_metric_has_a_series_in_the_sample(self):
        for name in exposed():
            self.assertRegex(SAMPLE, rf"(?m)^{name}(_count)?[ {{]")

    def test_alerts_use_metrics_that_there_are(self):
        rules = (ROOT / "manifests/alerts/alerts.yaml").read_text(encoding="utf-8")
        used = set(re.findall(r"dra_health_agent_\w+", rules))
        self.assertGreaterEqual(len(used), 5)
        self.assertEqual(used - set(exposed()), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""The pages that the sample writes, by name."""

import pathlib
import subprocess
import tempfile

NAMES = ("pod", "device", "hostile", "crowded")


def write(sample):
    """Returns a dict of name to text."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sample, folder], check=True, timeout=60)
        return {name: (pathlib.Path(folder) / f"{name}.html").read_text(encoding="utf-8") for name in NAMES}
